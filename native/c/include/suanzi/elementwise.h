/* Operators that work element by element. The rules are in suanzi.h. The following rules apply to all operators in this
 * header:
 *
 * Operands are dense tensors whose shapes broadcast (5.4) and whose types promote. If a function has several operands,
 * all operands except one may be scalars (suanzi_scalar). y has the broadcast shape, its own memory, and the logical
 * order of an operand of this shape. The element type of y is the promoted type unless the comment says otherwise. The
 * letters after "Types" are the accepted types of operands: B bool, I integers, F floating, C complex, S string.
 * Functions that compute floating numbers convert B and I to float32. Real numbers outside a function's domain become
 * NaN, and integers wrap around. A NaN or a wrapped integer is not an error.
 * Also: DIMENSIONS_MISMATCH if shapes do not broadcast, OUT_OF_RANGE for a scalar that does not fit its type. */
#ifndef SUANZI_ELEMENTWISE_H
#define SUANZI_ELEMENTWISE_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* --- checks (张量查询与检查) with a bool result and types BIFC --- */

/* 有限检查. Returns true for a number that is neither infinite nor NaN. */
SUANZI_API SuanziStatus suanzi_isfinite(const SuanziTensor x, SuanziTensor* y);
/* 无穷检查. Returns true for an infinite number, and for a complex number with an infinite part. */
SUANZI_API SuanziStatus suanzi_isinf(const SuanziTensor x, SuanziTensor* y);
/* 未定义数检查. Returns true for NaN, and for a complex number with a part that is NaN. */
SUANZI_API SuanziStatus suanzi_isnan(const SuanziTensor x, SuanziTensor* y);

/* --- arithmetic (算术操作) --- */

/* 张量加法操作. Returns x1 + x2. For bool, the result is the logical or. Types BIFC. */
SUANZI_API SuanziStatus suanzi_add(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量减法操作. Returns x1 - x2. Types IFC. */
SUANZI_API SuanziStatus suanzi_subtract(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量乘法操作. Returns x1 * x2. For bool, the result is the logical and. Types BIFC. */
SUANZI_API SuanziStatus suanzi_multiply(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量乘加操作. Returns x1 * x2 + x3, rounded once if the processor has a fused multiply-add. Types BIFC. */
SUANZI_API SuanziStatus suanzi_multiply_add(const SuanziTensor x1, const SuanziTensor x2, const SuanziTensor x3,
                                            SuanziTensor* y);
/* 张量除法操作. Returns the quotient without rounding to an integer (types BIFC, like suanzi_true_divide), or the quotient
 * rounded towards zero or down (types IF). */
enum { SUANZI_DIVIDE_TRUE = 0, SUANZI_DIVIDE_TRUNC = 1, SUANZI_DIVIDE_FLOOR = 2 };
SUANZI_API SuanziStatus suanzi_divide(const SuanziTensor x1, const SuanziTensor x2, int32_t rounding, SuanziTensor* y);
/* 张量整除操作. Returns the quotient rounded down. An integer divided by 0 is 0. Types IF. */
SUANZI_API SuanziStatus suanzi_floor_divide(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量真除法操作. Returns the quotient. For integers, the result is float32. Types BIFC. */
SUANZI_API SuanziStatus suanzi_true_divide(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量取模操作. Returns the remainder with the sign of the divisor. The remainder of an integer by 0 is 0. Types IF. */
SUANZI_API SuanziStatus suanzi_remainder(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量逐元素取最大值. Returns the greater element, or NaN if an element is NaN. Types BIFS. */
SUANZI_API SuanziStatus suanzi_maximum(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量逐元素取最小值. Returns the lesser element, or NaN if an element is NaN. Types BIFS. */
SUANZI_API SuanziStatus suanzi_minimum(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量绝对值操作. Returns the magnitude. For complex numbers, the result has the type of the parts. Types BIFC. */
SUANZI_API SuanziStatus suanzi_abs(const SuanziTensor x, SuanziTensor* y);
/* 张量取倒数操作. Returns 1 / x. For integers, the result is float32. Types IFC. */
SUANZI_API SuanziStatus suanzi_reciprocal(const SuanziTensor x, SuanziTensor* y);
/* 张量对角线元素求和操作. Returns the sum of diagonal `offset` of the last two axes. y has the other axes. Sums of integers have
 * 64 bits. Types BIFC. The operand must not be a scalar and does not broadcast.
 * Also: DIMENSIONS_MISMATCH for fewer than two dimensions. */
SUANZI_API SuanziStatus suanzi_trace(const SuanziTensor x, int64_t offset, SuanziTensor* y);

/* --- comparison (比较操作) with a bool result (NaN equals no number) --- */

/* 判断张量是否相等. Returns x1 == x2. Types BIFCS. */
SUANZI_API SuanziStatus suanzi_equal(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否不等. Returns x1 != x2. Types BIFCS. */
SUANZI_API SuanziStatus suanzi_not_equal(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否大于. Returns x1 > x2. Types BIFS. */
SUANZI_API SuanziStatus suanzi_greater(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否大于等于. Returns x1 >= x2. Types BIFS. */
SUANZI_API SuanziStatus suanzi_greater_equal(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否小于. Returns x1 < x2. Types BIFS. */
SUANZI_API SuanziStatus suanzi_less(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否小于等于. Returns x1 <= x2. Types BIFS. */
SUANZI_API SuanziStatus suanzi_less_equal(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 判断张量是否值相近. Returns |x1 - x2| <= atol + rtol |x2|. The usual tolerances are an atol of 1e-8 and an rtol of 1e-5. Types
 * BIFC.
 * Also: INVALID_ARGUMENT for tolerances that are negative or NaN. */
SUANZI_API SuanziStatus suanzi_isclose(const SuanziTensor x1, const SuanziTensor x2, double rtol, double atol,
                                       bool equal_nan, SuanziTensor* y);

/* --- logic (逻辑操作) with a bool result and types BIFC (every element except 0 is true) --- */

/* 张量的“逻辑与”操作. Returns true if the two elements are true. */
SUANZI_API SuanziStatus suanzi_logical_and(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量的“逻辑或”操作. Returns true if at least one element is true. */
SUANZI_API SuanziStatus suanzi_logical_or(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 张量的“逻辑非”操作. Returns true if the element is 0. */
SUANZI_API SuanziStatus suanzi_logical_not(const SuanziTensor x, SuanziTensor* y);
/* 张量的“逻辑异或”操作. Returns true if exactly one element is true. */
SUANZI_API SuanziStatus suanzi_logical_xor(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);

/* --- bits (位操作) --- */

/* 逐位“与”操作. Returns x1 & x2. Types BI. */
SUANZI_API SuanziStatus suanzi_bitwise_and(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 逐位“或”操作. Returns x1 | x2. Types BI. */
SUANZI_API SuanziStatus suanzi_bitwise_or(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 逐位“异或”操作. Returns x1 ^ x2. Types BI. */
SUANZI_API SuanziStatus suanzi_bitwise_xor(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 逐位反转操作. Returns ~x. For bool, the result is the logical not. Types BI. */
SUANZI_API SuanziStatus suanzi_bitwise_invert(const SuanziTensor x, SuanziTensor* y);
/* 逐位左移操作. Returns x1 << x2. A shift by a negative number, or by at least the width of the type, returns
 * 0. Types I. */
SUANZI_API SuanziStatus suanzi_bitwise_left_shift(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 逐位右移操作. Returns x1 >> x2, which keeps the sign. A shift by a negative number, or by at least the width of
 * the type, returns -1 for a negative x1, and 0 otherwise. Types I. */
SUANZI_API SuanziStatus suanzi_bitwise_right_shift(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);

/* --- powers (幂操作) --- */

/* 幂. Returns x1 to the power x2. Types IFC. */
SUANZI_API SuanziStatus suanzi_pow(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
/* 平方根. Returns the square root of x. Types BIFC. */
SUANZI_API SuanziStatus suanzi_sqrt(const SuanziTensor x, SuanziTensor* y);
/* 平方根倒数. Returns 1 / sqrt(x). Types BIFC. */
SUANZI_API SuanziStatus suanzi_rsqrt(const SuanziTensor x, SuanziTensor* y);
/* 平方数. Returns x * x in the type of x. Types BIFC. */
SUANZI_API SuanziStatus suanzi_square(const SuanziTensor x, SuanziTensor* y);

/* --- rounding (舍入操作) in the type of x --- */

/* 向下取整. Rounds down. Types BIF. */
SUANZI_API SuanziStatus suanzi_floor(const SuanziTensor x, SuanziTensor* y);
/* 向上取整. Rounds up. Types BIF. */
SUANZI_API SuanziStatus suanzi_ceil(const SuanziTensor x, SuanziTensor* y);
/* 截断取整. Rounds towards zero. Types BIF. */
SUANZI_API SuanziStatus suanzi_trunc(const SuanziTensor x, SuanziTensor* y);
/* 就近取整. Rounds to the nearest integer, half to even. Types BIFC. */
SUANZI_API SuanziStatus suanzi_rint(const SuanziTensor x, SuanziTensor* y);
/* 通用舍入取整. Rounds to the given number of decimals, which may be negative. Types BIFC. */
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

/* --- functions (三角函数, 双曲函数, 指对函数) with types BIFC --- */

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

/* 复数构建. Returns complex numbers with the given real and imaginary parts. The function converts integers to float32.
 * Types IF. */
SUANZI_API SuanziStatus suanzi_complex(const SuanziTensor real, const SuanziTensor imag, SuanziTensor* y);
/* 复数共轭. Returns the conjugate. For real numbers, the result is a copy. Types BIFC. */
SUANZI_API SuanziStatus suanzi_conj(const SuanziTensor x, SuanziTensor* y);
/* 获取虚部. Returns a view of the imaginary parts. For real numbers, the elements of y are 0. Types BIFC. The operand must
 * not be a scalar. */
SUANZI_API SuanziStatus suanzi_imag(const SuanziTensor x, SuanziTensor* y);
/* 获取实部. Returns a view of the real parts. Types BIFC. The operand must not be a scalar. */
SUANZI_API SuanziStatus suanzi_real(const SuanziTensor x, SuanziTensor* y);

/* --- transformation, element by element (张量转换) --- */

/* 张量正负判断. Returns the sign of x, which is -1, 0 or 1, or NaN if x is NaN. For a complex number, the result is
 * x / |x|. Types BIFC. */
SUANZI_API SuanziStatus suanzi_sign(const SuanziTensor x, SuanziTensor* y);
/* 张量数值裁剪. Replaces elements below min by min, and elements above max by max. A `min` or `max` of NULL means no bound.
 * Types BIF. */
SUANZI_API SuanziStatus suanzi_clip(const SuanziTensor x, const SuanziTensor min, const SuanziTensor max,
                                    SuanziTensor* y);
/* 条件判断组合张量. Returns x1 where the condition (types BIFC) is not 0, and x2 elsewhere. Types BIFCS. */
SUANZI_API SuanziStatus suanzi_where(const SuanziTensor condition, const SuanziTensor x1, const SuanziTensor x2,
                                     SuanziTensor* y);

SUANZI_END

#endif
