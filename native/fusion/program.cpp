#include "fusion/program.h"

namespace suanzi::fusion {

void Program::run(const Dims& shape, std::span<const Tensor> inputs, std::span<const double> scalars,
                  std::span<const Tensor> outputs) const {
  std::vector<tile::View> views;
  views.reserve(inputs.size() + numbers.size());
  for (const Tensor& x : inputs) views.push_back(tile::View::broadcast(x, shape));
  std::vector<ElementBuffer> elements(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Number& number = numbers[i];
    const Scalar scalar = number.slot < 0 ? number.constant : Scalar::of(scalars[static_cast<size_t>(number.slot)]);
    store_scalar("fuse", scalar, number.type, elements[i]);
    views.push_back({elements[i].bytes, number.type, Dims(shape.size(), 0)});
  }
  std::vector<tile::Sink> sinks;
  for (size_t i = 0; i < outputs.size(); ++i) sinks.push_back({sources[i], tile::View::of(outputs[i])});
  tile::run(view(), shape, views, sinks);
}

}  // namespace suanzi::fusion
