// SPDX-License-Identifier: MIT
#include "bind/python_callback.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bind/bind.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

using InputArray = nb::ndarray<nb::numpy, const float>;
using OutputArray = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

/// A Python object that may be released on any thread.
std::shared_ptr<PyObject> held(const nb::object& object) {
  return {object.inc_ref().ptr(), [](PyObject* held) {
            if (!Py_IsInitialized()) return;  // the interpreter is finalized
            const nb::gil_scoped_acquire acquire;
            Py_DECREF(held);
          }};
}

/// A copy that Python may keep: [n, 2, size, size].
InputArray planes_array(int size, std::span<const float> planes) {
  auto* const copy = new float[planes.size()];
  std::copy(planes.begin(), planes.end(), copy);
  const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<float*>(p); });
  const auto side = static_cast<size_t>(size);
  return InputArray(copy, {planes.size() / (2 * side * side), 2, side, side}, owner);
}

void call(nb::handle function, int size, std::span<const float> planes, NetOutput& output) {
  const auto [value, policy] =
      nb::cast<std::pair<OutputArray, OutputArray>>(function(planes_array(size, planes)));
  const size_t values = 3 * output.value.size();
  if (value.size() != values || policy.size() != output.policy.size())
    throw std::runtime_error("the net answered with " + std::to_string(value.size()) +
                             " numbers of the value and " + std::to_string(policy.size()) +
                             " of the policy, not " + std::to_string(values) + " and " +
                             std::to_string(output.policy.size()));
  for (size_t i = 0; i < values; ++i) output.value[i / 3][i % 3] = value.data()[i];
  std::copy_n(policy.data(), policy.size(), output.policy.begin());
}

std::string message_of(const nb::python_error& error) {
  std::string message = nb::cast<std::string>(nb::str(error.value()));
  return message.empty() ? nb::cast<std::string>(error.type().attr("__name__")) : message;
}

}  // namespace

NetCallback python_callback(const nb::callable& function) {
  return [kept = held(function)](int size, std::span<const float> planes, NetOutput& output) {
    const nb::gil_scoped_acquire acquire;
    try {
      call(kept.get(), size, planes, output);
    } catch (const nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) throw;
      throw std::runtime_error(message_of(error));
    } catch (const nb::cast_error&) {
      throw std::runtime_error("the function of a net must return two arrays of float32");
    }
  };
}

LoadExternal external_loader(const nb::callable& function) {
  return [kept = held(function)](const NetPair& nets, Rule rule, int size) {
    const nb::gil_scoped_acquire gil;
    auto net = std::make_shared<ExternalNet>();
    try {
      nb::handle(kept.get())(to_text(nets[0].place()), to_text(nets[1].place()),
                             static_cast<int>(rule), size, net);
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;  // KeyboardInterrupt
      net->fail(BadNet(message_of(error), nets[0].place()));
    }
    return net;
  };
}

}  // namespace tengen::bind
