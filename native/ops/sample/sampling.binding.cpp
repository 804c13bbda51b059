// Sampling of grids and regions, and the suppression of boxes, as Python functions.
#include "ops/sample/boxes.h"
#include "ops/sample/grid_sample.h"
#include "ops/sample/regions.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// The names of modes in Suanzi, PyTorch and ONNX.
constexpr std::string_view sampling_words[] = {"nearest", "bilinear", "bicubic", "linear", "cubic"};
constexpr Sampling samplings[] = {Sampling::nearest, Sampling::linear, Sampling::cubic, Sampling::linear,
                                  Sampling::cubic};

}  // namespace

void bind_sampling(nb::module_& m) {
  define(m, "grid_sample",
         [](nb::handle operand, nb::handle points, nb::handle mode, nb::handle padding, nb::handle corners,
            nb::handle out) -> nb::object {
           constexpr const char* op = "grid_sample";
           const Tensor x = require_tensor(op, operand.ptr()), grid = require_tensor(op, points.ptr());
           const Sampling sampling = samplings[require_choice(op, "mode", mode.ptr(), sampling_words)];
           const auto outside = static_cast<Outside>(require_choice(op, "padding_mode", padding.ptr(), outside_names));
           const bool align = require_truth(op, "align_corners", corners.ptr());
           Tensor target;
           if (!out.is_none()) target = require_out(op, out.ptr());
           Tensor result = unlocked_if_long(unlocked_work(x, grid), [&] {
             return grid_sample(op, x, grid, sampling, outside, align, out.is_none() ? nullptr : &target);
           });
           return out.is_none() ? wrapped(std::move(result)) : nb::borrow(out);
         });
  define(m, "align_regions",
         "(operator: str, x: Tensor, boxes: Tensor, images: Tensor, height: int, width: int, scale: float, "
         "samples: int, aligned: bool, greatest: bool, /) -> Tensor",
         [](const char* op, nb::handle operand, nb::handle boxes, nb::handle images, nb::handle height,
            nb::handle width, nb::handle scale, nb::handle samples, nb::handle aligned, nb::handle greatest) {
           const Tensor x = require_tensor(op, operand.ptr()), at = require_tensor(op, boxes.ptr()),
                        numbers = require_tensor(op, images.ptr());
           const RegionSampling how{
               require_integer(op, "output_size", height.ptr()), require_integer(op, "output_size", width.ptr()),
               require_real(op, "spatial_scale", scale.ptr()),   require_integer(op, "sampling_ratio", samples.ptr()),
               require_truth(op, "aligned", aligned.ptr()),      require_truth(op, "greatest", greatest.ptr())};
           return unlocked_if_long(unlocked_work(x, at), [&] { return align_regions(op, x, at, numbers, how); });
         });
  define(m, "suppress_boxes",
         "(operator: str, boxes: Tensor, scores: Tensor, overlap: float, score: float | None, most: int | None, "
         "centred: bool, /) -> Tensor",
         [](const char* op, nb::handle boxes, nb::handle scores, nb::handle overlap, nb::handle score, nb::handle most,
            nb::handle centred) {
           const Tensor at = require_tensor(op, boxes.ptr()), of = require_tensor(op, scores.ptr());
           Suppression how{};
           how.overlap = require_real(op, "iou_threshold", overlap.ptr());
           if (!score.is_none()) how.score = require_real(op, "score_threshold", score.ptr());
           how.most = optional_integer(op, "max_output_boxes", most.ptr());
           how.centred = require_truth(op, "centred", centred.ptr());
           return unlocked_if_long(unlocked_work(at, of), [&] { return suppress_boxes(op, at, of, how); });
         });
}

}  // namespace suanzi::python
