// SPDX-License-Identifier: MIT
// Gives tests the back end, and what it reports.
import type { BackEndState, EngineEvent } from "../../../web/src/lib/protocol";
import { WorkerBackEnd } from "../../../web/src/lib/worker_back_end";

const events: { time: number; event: EngineEvent }[] = [];
const states: BackEndState[] = [];
const longTasks: number[] = [];
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) longTasks.push(task.duration);
}).observe({ type: "longtask", buffered: true });

const backEnd = new WorkerBackEnd();
Object.assign(window, { backEnd, WorkerBackEnd, events, states, longTasks });
backEnd.start({
  event: (event) => events.push({ time: performance.now(), event }),
  state: (state) => states.push(state),
});
