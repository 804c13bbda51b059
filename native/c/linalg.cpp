// The functions of suanzi/linalg.h.
#include "ops/linalg/linalg.h"

#include "c/arguments.h"
#include "c/handle.h"
#include "ops/product/contraction.h"
#include "ops/product/matmul.h"
#include "ops/sparse/products.h"

namespace suanzi::c {
namespace {

static_assert(SUANZI_NORM_MINUS_INFINITY == static_cast<int>(linalg::MatrixNorm::minus_infinity));

// A bias, which may be missing.
struct Bias {
  Bias(const char* op, SuanziTensor x) : tensor(x ? &dense(op, x) : nullptr) {}
  const Tensor* tensor;
};

// Multiplies a sparse matrix of compressed rows by x2, which is a dense tensor or another matrix of compressed rows.
Content sparse_product(const char* op, const SparseTensor& a, SuanziTensor x2) {
  const Content& second = content_of(op, x2);
  if (const auto* b = std::get_if<SparseTensor>(&second)) {
    sparse::Product product = sparse::multiply_rows(op, a.pattern, a.values, b->pattern, b->values);
    return SparseTensor{std::move(product.pattern), std::move(product.values), std::nullopt};
  }
  return sparse::multiply_dense(op, a.pattern, a.values, dense(op, x2));
}

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;
namespace linalg = suanzi::linalg;
namespace products = suanzi::products;

extern "C" {

SuanziStatus suanzi_matmul(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y) {
  constexpr const char* op = "matmul";
  return give(op, y, [&]() -> Content {
    if (const auto* a = std::get_if<SparseTensor>(&content_of(op, x1))) return sparse_product(op, *a, x2);
    return products::matmul(op, dense(op, x1), dense(op, x2));
  });
}

SuanziStatus suanzi_dot(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y) {
  return give("dot", y, [&] { return products::dot(dense("dot", x1), dense("dot", x2)); });
}

SuanziStatus suanzi_lu(const SuanziTensor x, SuanziTensor* p, SuanziTensor* l, SuanziTensor* u) {
  return give_all("lu", std::array{p, l, u}, [&] {
    linalg::LU factors = linalg::lu(dense("lu", x));
    return std::array{std::move(factors.p), std::move(factors.l), std::move(factors.u)};
  });
}

SuanziStatus suanzi_cholesky(const SuanziTensor x, bool upper, SuanziTensor* y) {
  return give("cholesky", y, [&] { return linalg::cholesky(dense("cholesky", x), upper); });
}

SuanziStatus suanzi_qr(const SuanziTensor x, bool complete, SuanziTensor* q, SuanziTensor* r) {
  return give_all("qr", std::array{q, r}, [&] {
    linalg::QR factors = linalg::qr(dense("qr", x), complete);
    return std::array{std::move(factors.q), std::move(factors.r)};
  });
}

SuanziStatus suanzi_svd(const SuanziTensor x, bool full_matrices, SuanziTensor* u, SuanziTensor* s, SuanziTensor* vh) {
  return give_all("svd", std::array{u, s, vh}, [&] {
    linalg::SVD factors = linalg::svd(dense("svd", x), full_matrices);
    return std::array{std::move(factors.u), std::move(factors.s), std::move(factors.vh)};
  });
}

SuanziStatus suanzi_solve(const SuanziTensor a, const SuanziTensor b, SuanziTensor* y) {
  return give("solve", y, [&] { return linalg::solve(dense("solve", a), dense("solve", b)); });
}

SuanziStatus suanzi_lstsq(const SuanziTensor a, const SuanziTensor b, const double* rtol, SuanziTensor* solution,
                          SuanziTensor* residuals, SuanziTensor* rank, SuanziTensor* singular_values) {
  constexpr const char* op = "lstsq";
  return give_all(op, std::array{solution, residuals, rank, singular_values}, [&] {
    std::optional<suanzi::Tensor> tolerance;
    if (rtol) {
      tolerance = suanzi::make_empty(op, {}, suanzi::DType::float64);
      *tolerance->as<double>() = *rtol;
    }
    linalg::LeastSquares found = linalg::lstsq(dense(op, a), dense(op, b), tolerance ? &*tolerance : nullptr);
    return std::array{std::move(found.solution), std::move(found.residuals), std::move(found.rank),
                      std::move(found.singular_values)};
  });
}

SuanziStatus suanzi_inv(const SuanziTensor x, SuanziTensor* y) {
  return give("inv", y, [&] { return linalg::inv("inv", dense("inv", x)); });
}

SuanziStatus suanzi_eig(const SuanziTensor x, SuanziTensor* values, SuanziTensor* vectors) {
  return give_all("eig", std::array{values, vectors}, [&] {
    linalg::Eigen found = linalg::eig(dense("eig", x));
    return std::array{std::move(found.values), std::move(found.vectors)};
  });
}

SuanziStatus suanzi_matrix_norm(const SuanziTensor x, int32_t order, bool keepdims, SuanziTensor* y) {
  constexpr const char* op = "matrix_norm";
  return give(op, y, [&] {
    const int norm = choice(op, "order", order, SUANZI_NORM_MINUS_INFINITY + 1);
    return linalg::matrix_norm(op, dense(op, x), static_cast<linalg::MatrixNorm>(norm), keepdims);
  });
}

SuanziStatus suanzi_linear(const SuanziTensor x, const SuanziTensor weight, const SuanziTensor bias, SuanziTensor* y) {
  constexpr const char* op = "linear";
  return give(op, y, [&] { return products::linear(dense(op, x), dense(op, weight), Bias(op, bias).tensor); });
}

SuanziStatus suanzi_bilinear(const SuanziTensor x1, const SuanziTensor x2, const SuanziTensor weight,
                             const SuanziTensor bias, SuanziTensor* y) {
  constexpr const char* op = "bilinear";
  return give(op, y, [&] {
    return products::bilinear(dense(op, x1), dense(op, x2), dense(op, weight), Bias(op, bias).tensor);
  });
}
}
