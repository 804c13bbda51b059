/* suanzi.h: the 134 operators of T/AI 137.1-2025 (人工智能 算子接口 第1部分：基础数学类) in C.
 *
 * The header needs C99 or C++17, or a newer version. The library libsuanzi implements the header. Any other library may
 * implement the header as well, and the conformance kit can then test that library. A function for an operator is named
 * suanzi_<operator>. Each function returns a status, and writes its results to pointers:
 *
 *     SuanziStatus suanzi_add(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
 *
 * Contents:
 *     suanzi/types.h        statuses, element types, scalars, devices, layouts (5.5, 5.7, chapter 6)
 *     suanzi/tensors.h      functions of handles, their elements and their parts, messages, versions
 *     suanzi/creation.h     creation, destruction and query (张量创建与销毁, 张量查询与检查)
 *     suanzi/elementwise.h  arithmetic, comparison, logic, bits, powers, rounding, functions, complex numbers
 *     suanzi/transform.h    shapes, joining, padding, gathering, scattering (张量转换)
 *     suanzi/reduction.h    reduction, scans, index operations, Fourier transforms, interpolation
 *     suanzi/linalg.h       linear algebra (线性代数操作)
 *     suanzi/runtime.h      threads and memory of libsuanzi, which other libraries need not implement
 *     suanzi/aitisa.h       names of aitisa_api for programs for aitisa_api (suanzi.h does not include this part)
 *
 * RULES that apply to every function unless its comment says otherwise
 *
 * Results. `y`, the last parameter, receives a new handle, which the caller owns and must pass to suanzi_destroy. On
 * failure, every *y is NULL, and the function has changed no other memory. No function changes its operands. A result
 * may share memory with an operand (a view) if the function's comment says so. Memory lives as long as any handle on
 * the memory, so a program may destroy handles in any order. A call overwrites *y, so *y must not be the only copy of a
 * handle.
 *
 * Ownership. A function reads the caller's arrays and texts only during the call. Arrays and texts remain the property
 * of the caller, except memory that the caller passes to suanzi_from_reference. Returned pointers (suanzi_data,
 * strings) are valid as long as their handle, or another handle on the same memory, exists.
 *
 * Statuses. Any function may return
 *     TYPE_MISMATCH         the operator does not accept the element type or the kind of an operand
 *     UNINITIALIZED_OBJECT  an operand is NULL, because it was destroyed or never created
 *     INVALID_ARGUMENT      a pointer is NULL although the function needs a value, a count is negative, a count of
 *                           dimensions is above SUANZI_MAX_RANK, or a constant is not in this interface
 *     ALLOC_FAILED          the memory does not suffice for the result, or its bytes exceed 64 bits
 *     INTERNAL_ERROR        the function failed for another reason
 * The comment of a function lists further statuses after "Also:". suanzi_last_message returns the reason of a failure.
 *
 * Threads. Any number of threads may call functions. Several threads may read one handle at the same time. While a
 * thread destroys a handle, sets its user data, or writes through suanzi_data, no other thread may use the handle. Each
 * thread has its own last message.
 *
 * Indices and axes count from 0 (5.1). An axis may be negative, and -1 is the last axis. A list is a pointer and a
 * count. The pointer of an empty list may be NULL. Element types promote and shapes broadcast (5.4) by the rules of
 * suanzi's guide. Types of one kind promote to the wider type. An integer type and a floating type promote to the
 * floating type. float16 and bfloat16 promote to float32.
 *
 * ABI. Statuses, types and other constants are int32_t, and sizes and counts are int64_t, so that the interface does
 * not depend on a compiler's enums. Structures do not change within a major version. A library with the same major
 * version, SUANZI_C_VERSION / 100, and an equal or later version has everything that this header declares. */
#ifndef SUANZI_H
#define SUANZI_H

#define SUANZI_C_VERSION 200

/* IWYU pragma: begin_exports */
#include "suanzi/types.h"

#include "suanzi/tensors.h"

#include "suanzi/creation.h"
#include "suanzi/elementwise.h"
#include "suanzi/linalg.h"
#include "suanzi/reduction.h"
#include "suanzi/runtime.h"
#include "suanzi/transform.h"
/* IWYU pragma: end_exports */

#endif
