// SPDX-License-Identifier: MIT
// A tooltip that follows the pointer on a line chart.
"use strict";

function followPointer(chart) {
  const spots = JSON.parse(chart.dataset.hover);
  const tip = document.getElementById("tip");
  const width = Number(chart.getAttribute("viewBox").split(" ")[2]);
  const plot = chart.querySelector(".plot");
  const top = Number(plot.getAttribute("y"));
  const cursor = draw("line", {
    class: "cursor", y1: top, y2: top + Number(plot.getAttribute("height")), visibility: "hidden",
  });
  chart.append(cursor);
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    const near = spots.reduce((a, b) => (Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a));
    cursor.setAttribute("x1", near[0]);
    cursor.setAttribute("x2", near[0]);
    cursor.setAttribute("visibility", "visible");
    tip.textContent = near[1];
    tip.hidden = false;
    const right = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(8, right)}px`;
    tip.style.top = `${Math.max(8, event.clientY - tip.offsetHeight - 12)}px`;
  });
  chart.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    tip.hidden = true;
  });
}
