// SPDX-License-Identifier: MIT
// `_core.PageEngine`: what a page asks of an engine, as JSON. Answers release the GIL.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string_view.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bind/bind.h"
#include "bind/python_callback.h"
#include "page/page_engine.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

using SendFunction = nb::typed<nb::callable, void(nb::str)>;

class BoundPageEngine {
 public:
  BoundPageEngine(const OptionTexts& options, const std::filesystem::path& data,
                  const LoadFunction& load_external)
      : engine_(std::make_unique<page::PageEngine>(to_play_options(options), bundle_in(data),
                                                   external_loader(load_external))) {}
  /// A thread that loads a net may wait for the GIL, so the GIL is released before joining it.
  ~BoundPageEngine() {
    const nb::gil_scoped_release release;
    engine_.reset();
  }

  void handle(std::string_view request, const SendFunction& send) {
    if (std::exchange(is_busy_, true))
      throw std::runtime_error("the engine answers another request");
    std::exception_ptr raised;
    {
      const nb::gil_scoped_release release;
      engine_->handle(request, [&](std::string_view event) {
        if (!raised && (raised = given(send, event))) engine_->stop();
      });
    }
    is_busy_ = false;
    if (raised) std::rethrow_exception(raised);
  }

  void report(const SendFunction& send) {
    std::exception_ptr raised;
    {
      const nb::gil_scoped_release release;
      engine_->report([&](std::string_view event) { raised = given(send, event); });
    }
    if (raised) std::rethrow_exception(raised);
  }

  void stop() { engine_->stop(); }

 private:
  /// Calls `send`; what it raises must not pass through the engine.
  static std::exception_ptr given(const SendFunction& send, std::string_view event) {
    const nb::gil_scoped_acquire gil;
    try {
      send(nb::str(event.data(), event.size()));
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  std::unique_ptr<page::PageEngine> engine_;
  bool is_busy_ = false;  ///< guarded by the GIL
};

}  // namespace

void register_page(nb::module_& module) {
  nb::class_<BoundPageEngine>(module, "PageEngine")
      .def(nb::init<const OptionTexts&, const std::filesystem::path&, const LoadFunction&>(),
           nb::arg("options"), nb::arg("data"), nb::arg("load_external"),
           "`load_external` is that of Player.")
      .def("handle", &BoundPageEngine::handle, nb::arg("request"), nb::arg("send"))
      .def("report", &BoundPageEngine::report, nb::arg("send"))
      .def("stop", &BoundPageEngine::stop);
}

}  // namespace tengen::bind
