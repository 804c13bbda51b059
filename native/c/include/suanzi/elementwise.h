/* Operators that work element by element. The rules are in suanzi.h, and for all of these:
 *
 * Operands are dense tensors whose shapes broadcast (5.4) and whose types promote; of several operands all but one may
 * be scalars (suanzi_scalar). y has the broadcast shape, memory of its own, and the logical order of an operand of that
 * shape. Its element type is the promoted one unless the line says otherwise. Letters say what is taken: B bool, I
 * integers, F floating, C complex, S string. Functions of F take B and I in float32. Real numbers outside a function's
 * domain give NaN, and integers wrap around; neither is an error.
 * Also: DIMENSIONS_MISMATCH where shapes do not broadcast, OUT_OF_RANGE for a scalar that does not fit. */
#ifndef SUANZI_ELEMENTWISE_H
#define SUANZI_ELEMENTWISE_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* --- checks (张量查询与检查): BIFC to bool --- */

/* 有限检查. Neither infinite nor NaN. */
SUANZI_API SuanziStatus suanzi_isfinite(const SuanziTensor x, SuanziTensor* y);
/* 无穷检查. Infinite, in one part if complex. */
SUANZI_API SuanziStatus suanzi_isinf(const SuanziTensor x, SuanziTensor* y);
/* 未定义数检查. NaN, in one part if complex. */
SUANZI_API SuanziStatus suanzi_isnan(const SuanziTensor x, SuanziTensor* y);

/* --- arithmetic (算术操作) --- */

/* 张量加法操作. BIFC; of bool `or`. */
SUANZI_API SuanziStatus suanzi_add(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量减法操作. IFC. */
SUANZI_API SuanziStatus suanzi_subtract(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量乘法操作. BIFC; of bool `and`. */
SUANZI_API SuanziStatus suanzi_multiply(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量乘加操作. x1 * x2 + x3, rounded once. BIFC. */
SUANZI_API SuanziStatus suanzi_multiply_add(const SuanziTensor x1, const SuanziTensor x2, const SuanziTensor x3,
                                            SuanziTensor* y);
/* 张量除法操作. The quotient as it is (BIFC, as suanzi_true_divide), or rounded towards zero or down (IF). */
enum { SUANZI_DIVIDE_TRUE = 0, SUANZI_DIVIDE_TRUNC = 1, SUANZI_DIVIDE_FLOOR = 2 };
SUANZI_API SuanziStatus suanzi_divide(const SuanziTensor x1, const SuanziTensor x2, int32_t rounding, SuanziTensor* y);
/* 张量整除操作. The quotient rounded down. IF; an integer by 0 is 0. */
SUANZI_API SuanziStatus suanzi_floor_divide(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量真除法操作. BIFC; integers give float32. */
SUANZI_API SuanziStatus suanzi_true_divide(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量取模操作. With the sign of the divisor. IF; an integer by 0 is 0. */
SUANZI_API SuanziStatus suanzi_remainder(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量逐元素取最大值. BIFS; NaN where one is. */
SUANZI_API SuanziStatus suanzi_maximum(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量逐元素取最小值. BIFS; NaN where one is. */
SUANZI_API SuanziStatus suanzi_minimum(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量绝对值操作. BIFC; of complex numbers the real type. */
SUANZI_API SuanziStatus suanzi_abs(const SuanziTensor x, SuanziTensor* y);
/* 张量取倒数操作. IFC; integers give float32. */
SUANZI_API SuanziStatus suanzi_reciprocal(const SuanziTensor x, SuanziTensor* y);
/* 张量对角线元素求和操作. The sum of diagonal `offset` of the last two axes; y has the other axes. BIFC; integers give 64 bits.
 * Also: DIMENSIONS_MISMATCH for fewer than two dimensions. No scalars, no broadcasting. */
SUANZI_API SuanziStatus suanzi_trace(const SuanziTensor x, int64_t offset, SuanziTensor* y);

/* --- comparison (比较操作): to bool; NaN equals nothing --- */

/* 判断张量是否相等. BIFCS. */
SUANZI_API SuanziStatus suanzi_equal(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否不等. BIFCS. */
SUANZI_API SuanziStatus suanzi_not_equal(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否大于. BIFS. */
SUANZI_API SuanziStatus suanzi_greater(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否大于等于. BIFS. */
SUANZI_API SuanziStatus suanzi_greater_equal(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否小于. BIFS. */
SUANZI_API SuanziStatus suanzi_less(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否小于等于. BIFS. */
SUANZI_API SuanziStatus suanzi_less_equal(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否值相近. |x1 - x2| <= atol + rtol |x2|; the usual tolerances are 1e-8 and 1e-5. BIFC.
 * Also: INVALID_ARGUMENT for tolerances that are negative or NaN. */
SUANZI_API SuanziStatus suanzi_isclose(const SuanziTensor x1, const SuanziTensor x2, double rtol, double atol,
                                       bool equal_nan, SuanziTensor* y);

/* --- logic (逻辑操作): BIFC to bool; what is not 0 is true --- */

/* 张量的“逻辑与”操作. Both. */
SUANZI_API SuanziStatus suanzi_logical_and(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量的“逻辑或”操作. One or both. */
SUANZI_API SuanziStatus suanzi_logical_or(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量的“逻辑非”操作. Is 0. */
SUANZI_API SuanziStatus suanzi_logical_not(const SuanziTensor x, SuanziTensor* y);
/* 张量的“逻辑异或”操作. One alone. */
SUANZI_API SuanziStatus suanzi_logical_xor(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);

/* --- bits (位操作): BI, shifts I --- */

/* 逐位“与”操作. BI. */
SUANZI_API SuanziStatus suanzi_bitwise_and(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 逐位“或”操作. BI. */
SUANZI_API SuanziStatus suanzi_bitwise_or(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 逐位“异或”操作. BI. */
SUANZI_API SuanziStatus suanzi_bitwise_xor(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 逐位反转操作. BI; of bool `not`. */
SUANZI_API SuanziStatus suanzi_bitwise_invert(const SuanziTensor x, SuanziTensor* y);
/* 逐位左移操作. I; by the width or more: 0. */
SUANZI_API SuanziStatus suanzi_bitwise_left_shift(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 逐位右移操作. I; keeps the sign. */
SUANZI_API SuanziStatus suanzi_bitwise_right_shift(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);

/* --- powers (幂操作) --- */

/* 幂. IFC. */
SUANZI_API SuanziStatus suanzi_pow(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 平方根. BIFC. */
SUANZI_API SuanziStatus suanzi_sqrt(const SuanziTensor x, SuanziTensor* y);
/* 平方根倒数. BIFC. */
SUANZI_API SuanziStatus suanzi_rsqrt(const SuanziTensor x, SuanziTensor* y);
/* 平方数. BIFC, in the type of x. */
SUANZI_API SuanziStatus suanzi_square(const SuanziTensor x, SuanziTensor* y);

/* --- rounding (舍入操作): in the type of x --- */

/* 向下取整. BIF. */
SUANZI_API SuanziStatus suanzi_floor(const SuanziTensor x, SuanziTensor* y);
/* 向上取整. BIF. */
SUANZI_API SuanziStatus suanzi_ceil(const SuanziTensor x, SuanziTensor* y);
/* 截断取整. Towards zero. BIF. */
SUANZI_API SuanziStatus suanzi_trunc(const SuanziTensor x, SuanziTensor* y);
/* 就近取整. To the nearest, half to even. BIFC. */
SUANZI_API SuanziStatus suanzi_rint(const SuanziTensor x, SuanziTensor* y);
/* 通用舍入取整. To so many decimals, which may be negative. BIFC. */
enum {
  SUANZI_ROUND_HALF_EVEN = 0,
  SUANZI_ROUND_HALF_UP = 1,
  SUANZI_ROUND_HALF_AWAY = 2,
  SUANZI_ROUND_HALF_DOWN = 3,
  SUANZI_ROUND_FLOOR = 4,
  SUANZI_ROUND_CEIL = 5,
  SUANZI_ROUND_TRUNC = 6
};
SUANZI_API SuanziStatus suanzi_round(const SuanziTensor x, int64_t decimals, int32_t mode, SuanziTensor* y);

/* --- functions (三角函数, 双曲函数, 指对函数): BIFC --- */

SUANZI_API SuanziStatus suanzi_sin(const SuanziTensor x, SuanziTensor* y);   /* 正弦函数 */
SUANZI_API SuanziStatus suanzi_cos(const SuanziTensor x, SuanziTensor* y);   /* 余弦函数 */
SUANZI_API SuanziStatus suanzi_tan(const SuanziTensor x, SuanziTensor* y);   /* 正切函数 */
SUANZI_API SuanziStatus suanzi_asin(const SuanziTensor x, SuanziTensor* y);  /* 反正弦函数 */
SUANZI_API SuanziStatus suanzi_acos(const SuanziTensor x, SuanziTensor* y);  /* 反余弦函数 */
SUANZI_API SuanziStatus suanzi_atan(const SuanziTensor x, SuanziTensor* y);  /* 反正切函数 */
SUANZI_API SuanziStatus suanzi_sinh(const SuanziTensor x, SuanziTensor* y);  /* 双曲正弦函数 */
SUANZI_API SuanziStatus suanzi_cosh(const SuanziTensor x, SuanziTensor* y);  /* 双曲余弦函数 */
SUANZI_API SuanziStatus suanzi_tanh(const SuanziTensor x, SuanziTensor* y);  /* 双曲正切函数 */
SUANZI_API SuanziStatus suanzi_asinh(const SuanziTensor x, SuanziTensor* y); /* 反双曲正弦函数 */
SUANZI_API SuanziStatus suanzi_acosh(const SuanziTensor x, SuanziTensor* y); /* 反双曲余弦函数 */
SUANZI_API SuanziStatus suanzi_atanh(const SuanziTensor x, SuanziTensor* y); /* 反双曲正切函数 */
SUANZI_API SuanziStatus suanzi_exp(const SuanziTensor x, SuanziTensor* y);   /* 指数函数 */
SUANZI_API SuanziStatus suanzi_expm1(const SuanziTensor x, SuanziTensor* y); /* 指数函数扩展: exp(x) - 1 */
SUANZI_API SuanziStatus suanzi_log(const SuanziTensor x, SuanziTensor* y);   /* 以e为底的对数函数 */
SUANZI_API SuanziStatus suanzi_log1p(const SuanziTensor x, SuanziTensor* y); /* 以e为底的对数函数扩展: log(1 + x) */
SUANZI_API SuanziStatus suanzi_log10(const SuanziTensor x, SuanziTensor* y); /* 以10为底的对数函数 */
SUANZI_API SuanziStatus suanzi_log2(const SuanziTensor x, SuanziTensor* y);  /* 以2为底的对数函数 */

/* --- complex numbers (复数操作) --- */

/* 复数构建. Complex numbers of real and imaginary parts; IF: integers count as float32. */
SUANZI_API SuanziStatus suanzi_complex(const SuanziTensor real, const SuanziTensor imag, SuanziTensor* y);
/* 复数共轭. BIFC; of real numbers a copy. */
SUANZI_API SuanziStatus suanzi_conj(const SuanziTensor x, SuanziTensor* y);
/* 获取虚部. BIFC; of complex numbers a view, of others zeros. No scalars. */
SUANZI_API SuanziStatus suanzi_imag(const SuanziTensor x, SuanziTensor* y);
/* 获取实部. BIFC; shares memory. No scalars. */
SUANZI_API SuanziStatus suanzi_real(const SuanziTensor x, SuanziTensor* y);

/* --- transformation, element by element (张量转换) --- */

/* 张量正负判断. -1, 0 or 1; of a complex number x / |x|. BIFC. */
SUANZI_API SuanziStatus suanzi_sign(const SuanziTensor x, SuanziTensor* y);
/* 张量数值裁剪. No less than min and no greater than max; either may be NULL, and is then no bound. BIF. */
SUANZI_API SuanziStatus suanzi_clip(const SuanziTensor x, const SuanziTensor min, const SuanziTensor max,
                                    SuanziTensor* y);
/* 条件判断组合张量. x1 where the condition (BIFC) is not 0, else x2. BIFCS. */
SUANZI_API SuanziStatus suanzi_where(const SuanziTensor condition, const SuanziTensor x1, const SuanziTensor x2,
                                     SuanziTensor* y);

SUANZI_END

#endif
