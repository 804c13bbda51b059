"""The 134 operators of T/AI 137.1-2025 as data: the operators of Table 2 in order, and randperm from 7.2.1.11.

`NEURAL` contains the functions of `suanzi.nn`. No clause of the standard describes the functions of `suanzi.nn`.
Operators of neural networks are the subject of GB/T 46069.2-2025, whose text Suanzi's authors do not have. The
catalogue contains only names. The registry contains the implemented functions.
"""

from __future__ import annotations

from typing import NamedTuple


class Category(NamedTuple):
    """A category of operators: one of the 18 rows of Table 2, or the functions of `suanzi.nn`."""

    key: str  # the English key
    chinese: str  # the spelling of Table 2
    number: int  # the row in Table 2, 1 … 18, or 19 for `suanzi.nn`


NETWORKS = Category("nn", "神经网络", 19)


class Entry(NamedTuple):
    """One operator that the standard names, or a function of `suanzi.nn`."""

    number: int  # 1 … 134 in the order of Table 2, or a greater number in `suanzi.nn`
    name: str  # the public name under `suanzi`
    chinese: str  # the name in Table 2
    category: Category
    clause: str | None  # the clause and table that define the operator, if the text is available

    @property
    def reference(self) -> str:
        """Return the clause or table that defines or names the operator, for docstrings and reports."""
        if self.category is NETWORKS:
            return f"{self.chinese}: no clause of T/AI 137.1-2025, but of GB/T 46069.2-2025, which is not at hand."
        where = self.clause or f"Table 2, {self.category.chinese}"
        return f"T/AI 137.1-2025, {where}: {self.chinese}."


# Each entry contains the English key and the Chinese name of a category, and the public name and the Chinese name of
# each operator.
_TABLE_2: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "creation",
        "张量创建与销毁",
        (
            ("tensor", "拷贝已有数据创建稠密张量"),
            ("from_reference", "引用已有数据创建稠密张量"),
            ("zeros", "创建全零稠密张量"),
            ("full", "按指定值创建稠密张量"),
            ("empty", "创建未初始化张量"),
            ("contiguous", "创建连续内存张量"),
            ("uniform", "以均匀分布随机数创建稠密张量"),
            ("normal", "以正态分布随机数创建稠密张量"),
            ("bernoulli", "以伯努利分布创建稠密张量"),
            ("multinomial", "以多项式分布创建稠密张量"),
            ("randperm", "创建随机排列的一维稠密张量"),  # defined in 7.2.1.11, but missing in Table 2
            ("arange", "以数字序列创建稠密张量"),
            ("linspace", "创建线性空间均匀分布稠密张量"),
            ("sparse_tensor", "创建稀疏张量"),
            ("quantized_tensor", "创建量化张量"),
            ("clone", "复制张量"),
            ("diag", "复制对角线元素创建张量"),
            ("destroy", "销毁张量"),
        ),
    ),
    (
        "query",
        "张量查询与检查",
        (
            ("shape", "形状查询"),
            ("isfinite", "有限检查"),
            ("isinf", "无穷检查"),
            ("isnan", "未定义数检查"),
            ("size", "元素个数检查"),
            ("rank", "秩查询"),
            ("is_contiguous", "连续内存检查"),
        ),
    ),
    (
        "transform",
        "张量转换",
        (
            ("astype", "转换数据类型"),
            ("reshape", "改变张量形状"),
            ("expand_dims", "扩展维度"),
            ("squeeze", "删除维度"),
            ("transpose", "张量转置"),
            ("split", "张量分拆"),
            ("concat", "张量合并"),
            ("stack", "张量堆叠"),
            ("unstack", "张量拆堆"),
            ("slice", "张量切片"),
            ("tile", "张量重复"),
            ("pad", "张量补全"),
            ("reverse", "张量逆序变换"),
            ("roll", "张量循环滚动变换"),
            ("crop", "张量形状裁剪"),
            ("clip", "张量数值裁剪"),
            ("gather", "张量聚集"),
            ("scatter", "张量发散更新"),
            ("expand", "扩展张量"),
            ("flatten", "展平张量"),
            ("flip", "张量翻转"),
            ("sign", "张量正负判断"),
            ("where", "条件判断组合张量"),
            ("meshgrid", "一维张量扩充"),
            ("index_select", "张量选择"),
        ),
    ),
    (
        "arithmetic",
        "算术操作",
        (
            ("add", "张量加法操作"),
            ("subtract", "张量减法操作"),
            ("multiply", "张量乘法操作"),
            ("multiply_add", "张量乘加操作"),
            ("divide", "张量除法操作"),
            ("floor_divide", "张量整除操作"),
            ("true_divide", "张量真除法操作"),
            ("remainder", "张量取模操作"),
            ("maximum", "张量逐元素取最大值"),
            ("minimum", "张量逐元素取最小值"),
            ("abs", "张量绝对值操作"),
            ("reciprocal", "张量取倒数操作"),
            ("trace", "张量对角线元素求和操作"),
        ),
    ),
    (
        "comparison",
        "比较操作",
        (
            ("equal", "判断张量是否相等"),
            ("not_equal", "判断张量是否不等"),
            ("greater", "判断张量是否大于"),
            ("greater_equal", "判断张量是否大于等于"),
            ("less", "判断张量是否小于"),
            ("less_equal", "判断张量是否小于等于"),
            ("isclose", "判断张量是否值相近"),
        ),
    ),
    (
        "logical",
        "逻辑操作",
        (
            ("logical_and", "张量的“逻辑与”操作"),
            ("logical_or", "张量的“逻辑或”操作"),
            ("logical_not", "张量的“逻辑非”操作"),
            ("logical_xor", "张量的“逻辑异或”操作"),
        ),
    ),
    (
        "bitwise",
        "位操作",
        (
            ("bitwise_and", "逐位“与”操作"),
            ("bitwise_or", "逐位“或”操作"),
            ("bitwise_xor", "逐位“异或”操作"),
            ("bitwise_invert", "逐位反转操作"),
            ("bitwise_left_shift", "逐位左移操作"),
            ("bitwise_right_shift", "逐位右移操作"),
        ),
    ),
    (
        "power",
        "幂操作",
        (("pow", "幂"), ("sqrt", "平方根"), ("rsqrt", "平方根倒数"), ("square", "平方数")),
    ),
    (
        "rounding",
        "舍入操作",
        (
            ("floor", "向下取整"),
            ("ceil", "向上取整"),
            ("trunc", "截断取整"),
            ("rint", "就近取整"),
            ("round", "通用舍入取整"),
        ),
    ),
    (
        "trigonometric",
        "三角函数",
        (
            ("sin", "正弦函数"),
            ("cos", "余弦函数"),
            ("tan", "正切函数"),
            ("asin", "反正弦函数"),
            ("acos", "反余弦函数"),
            ("atan", "反正切函数"),
        ),
    ),
    (
        "hyperbolic",
        "双曲函数",
        (
            ("sinh", "双曲正弦函数"),
            ("cosh", "双曲余弦函数"),
            ("tanh", "双曲正切函数"),
            ("asinh", "反双曲正弦函数"),
            ("acosh", "反双曲余弦函数"),
            ("atanh", "反双曲正切函数"),
        ),
    ),
    (
        "exponential",
        "指对函数",
        (
            ("exp", "指数函数"),
            ("expm1", "指数函数扩展"),
            ("log", "以e为底的对数函数"),
            ("log1p", "以e为底的对数函数扩展"),
            ("log10", "以10为底的对数函数"),
            ("log2", "以2为底的对数函数"),
        ),
    ),
    ("reduction", "规约操作", (("reduce", "规约"), ("cumulative_sum", "前缀和"))),
    (
        "index",
        "索引操作",
        (
            ("argmax", "最大索引"),
            ("argmin", "最小索引"),
            ("argsort", "排序索引"),
            ("topk", "Top K索引"),
            ("nonzero", "非零索引"),
        ),
    ),
    (
        "complex_numbers",
        "复数操作",
        (
            ("complex", "复数构建"),
            ("conj", "复数共轭"),
            ("imag", "获取虚部"),
            ("real", "获取实部"),
        ),
    ),
    ("signal", "信号处理", (("fft.fft", "快速傅里叶变换"), ("fft.ifft", "快速逆傅里叶变换"))),
    (
        "linalg",
        "线性代数操作",
        (
            ("matmul", "矩阵乘法"),
            ("dot", "向量内积"),
            ("lu", "LU矩阵分解"),
            ("cholesky", "Cholesky矩阵分解"),
            ("qr", "QR矩阵分解"),
            ("svd", "SVD奇异值分解"),
            ("solve", "线性方程组求解"),
            ("lstsq", "最小二乘"),
            ("inv", "矩阵求逆"),
            ("eig", "求特征值以及特征向量"),
            ("matrix_norm", "矩阵范数"),
            ("linear", "线性操作"),
            ("bilinear", "双线性操作"),
        ),
    ),
    ("interpolation", "插值操作", (("interpolate", "插值操作"),)),
)

# The available text of the standard has the clauses 7.2.1.1 … 7.2.1.14 and the beginning of 7.2.1.15. These clauses
# contain Tables 3 to 17 in order.
_CLAUSES_WITH_TEXT = 15


def _entries() -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for row, (key, chinese_category, operators) in enumerate(_TABLE_2, start=1):
        category = Category(key, chinese_category, row)
        for column, (name, chinese) in enumerate(operators, start=1):
            has_text = row == 1 and column <= _CLAUSES_WITH_TEXT
            clause = f"7.2.1.{column}, Table {column + 2}" if has_text else None
            entries[name] = Entry(len(entries) + 1, name, chinese, category, clause)
    return entries


CATALOGUE: dict[str, Entry] = _entries()
CATEGORIES: tuple[Category, ...] = tuple({e.category.key: e.category for e in CATALOGUE.values()}.values())

_NEURAL: tuple[tuple[str, str], ...] = (
    ("relu", "线性整流"),
    ("sigmoid", "S型函数"),
    ("silu", "S型加权线性单元"),
    ("gelu", "高斯误差线性单元"),
    ("softplus", "平滑线性整流"),
    ("mish", "Mish激活函数"),
    ("hardswish", "分段线性自门控函数"),
    ("softmax", "归一化指数函数"),
    ("log_softmax", "对数归一化指数函数"),
    ("leaky_relu", "带泄露线性整流"),
    ("prelu", "参数化线性整流"),
    ("elu", "指数线性单元"),
    ("celu", "连续可微指数线性单元"),
    ("selu", "缩放指数线性单元"),
    ("hardsigmoid", "分段线性S型函数"),
    ("softsign", "软符号函数"),
    ("glu", "门控线性单元"),
    ("conv", "卷积"),
    ("conv_transpose", "转置卷积"),
    ("max_pool", "最大池化"),
    ("max_unpool", "最大反池化"),
    ("avg_pool", "平均池化"),
    ("lp_pool", "Lp池化"),
    ("adaptive_avg_pool", "自适应平均池化"),
    ("adaptive_max_pool", "自适应最大池化"),
    ("global_avg_pool", "全局平均池化"),
    ("global_max_pool", "全局最大池化"),
    ("global_lp_pool", "全局Lp池化"),
    ("batch_norm", "批归一化"),
    ("instance_norm", "实例归一化"),
    ("layer_norm", "层归一化"),
    ("group_norm", "组归一化"),
    ("rms_norm", "均方根归一化"),
    ("lrn", "局部响应归一化"),
    ("lstm", "长短期记忆网络"),
    ("gru", "门控循环单元"),
    ("rnn", "循环神经网络"),
    ("scaled_dot_product_attention", "缩放点积注意力"),
    ("linear_packed", "权重压缩的线性操作"),
    ("embedding", "词嵌入"),
    ("grid_sample", "网格采样"),
    ("roi_align", "感兴趣区域对齐"),
    ("pixel_shuffle", "像素重排"),
    ("pixel_unshuffle", "像素逆重排"),
    ("one_hot", "独热编码"),
    ("nms", "非极大值抑制"),
)

NEURAL: dict[str, Entry] = {
    f"nn.{name}": Entry(number, f"nn.{name}", chinese, NETWORKS, None)
    for number, (name, chinese) in enumerate(_NEURAL, start=len(CATALOGUE) + 1)
}
