#include "fusion/program.h"

#include "walk/producer.h"

namespace suanzi::fusion {

// Returns the views of the inputs and of the numbers, and stores the numbers in `elements`.
std::vector<walk::View> Program::views_of(const Dims& shape, std::span<const Tensor> inputs,
                                          std::span<const double> scalars, std::span<ElementBuffer> elements) const {
  std::vector<walk::View> views;
  views.reserve(inputs.size() + numbers.size());
  for (const Tensor& x : inputs) views.push_back(walk::View::broadcast(x, shape));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Number& number = numbers[i];
    const Scalar scalar = number.slot < 0 ? number.constant : Scalar::of(scalars[static_cast<size_t>(number.slot)]);
    store_scalar("fuse", scalar, number.type, elements[i]);
    views.push_back({elements[i].bytes, number.type, Dims(shape.size(), 0)});
  }
  return views;
}

void Program::run(const Dims& shape, std::span<const Tensor> inputs, std::span<const double> scalars,
                  std::span<const Tensor> outputs) const {
  std::vector<ElementBuffer> elements(numbers.size());
  const std::vector<walk::View> views = views_of(shape, inputs, scalars, elements);
  std::vector<walk::Sink> sinks;
  for (size_t i = 0; i < outputs.size(); ++i) sinks.push_back({sources[i], walk::View::of(outputs[i])});
  walk::run(view(), shape, views, sinks);
}

Tensor Program::fold(const NamedReduction& reduction, const ReductionOptions& options, const Dims& shape,
                     std::span<const Tensor> inputs, std::span<const double> scalars) const {
  std::vector<ElementBuffer> elements(numbers.size());
  const std::vector<walk::View> views = views_of(shape, inputs, scalars, elements);
  if (product(shape) == 0) return reduction.compute(reduction.name, make_empty("fuse", shape, output_type), options);
  const walk::Producer producer(view(), shape, views, sources[0], output_type);
  const Tensor like = walk::produced_like(shape, output_type);
  return reduction.compute(reduction.name, {like, &producer}, options);
}

}  // namespace suanzi::fusion
