"""All tuned numbers of the Python code: limits of data that are kept or examined, and thresholds between methods.

The core contains the numbers that depend on the machine (native/runtime/costs.h). Numbers that a format, a protocol or
an algorithm prescribes are not tuned, and the modules that use these numbers define them. `tests/house.py` counts tuned
numbers in other modules.
"""

from __future__ import annotations

from suanzi import _core

# --- memory ---

# Freed blocks that a process keeps occupy at most the machine's memory divided by this number. In a Dask worker, the
# bound is the worker's memory divided by this number.
CACHE_SHARE = _core.costs["cache_share"]

# --- functions of several operators (extras/) ---

# The most elements for which making a new tensor is faster than writing into an existing tensor.
DIRECT_ELEMENTS = _core.costs["direct_elements"]

# --- neural networks (nn/) ---

# The most elements of a plane whose mean is computed like the mean of a pooling window. Larger planes are summed in
# float64.
WHOLE_PLANE = 2**12
# The longest rows that are normalised in a single pass. A row of this length and the row's result stay in a processor
# core's cache.
WHOLE_ROW = 2**13
# The longest rows whose softmax is computed row by row, with one call of a kernel for the sum of a row's elements.
SOFTMAX_ROW = _core.costs["whole_reduction"]

# --- fused functions (fusion/) ---

FUSED_ROW = _core.costs["fused_row"]
STEPS_LIKE_MEMORY = _core.costs["steps_like_memory"]
MOST_VIEWS = _core.costs["most_views"]
# The most programs of one function. A program needs some 10 KiB. The least recently used programs are dropped.
MOST_PROGRAMS = 64
# The most calls of one function that the core recognises. The core compares the arguments of these calls in turn, in
# 0.1 us for each call.
MOST_KNOWN_CALLS = 8
# The most traces that are made because the number of a sparse tensor's elements changed. After this number of traces, a
# program's key no longer contains the number of elements.
MOST_MOVES = 16

# --- tensors on devices (devices/) ---

# A call that fails on a device is repeated on the CPU, which raises the error, if the operands have at most this number
# of elements.
MOST_ASKED = 2**22
# The most float32 elements that a device sums in float32. Longer sums are computed in float64 and rounded once. A sum
# of eight elements has at most seven rounding errors. With this limit, small calls are as fast as in PyTorch.
FEW_SUMMED = 8
# The most elements of an operand for which the CPU factorises a stand-in of the same shape, to find the shapes of the
# factors. The factorisation takes a millisecond.
MOST_MATRIX = 2**14
# The most dimensions for which the CPU computes the memory order of results. The computation uses operands with two
# elements along each dimension.
MOST_DIMENSIONS_ASKED = 8
# The most results of the CPU that are kept for repeated calls. A result needs some 200 bytes.
MOST_ANSWERS = 2**12
# The most checks of indices whose results are not read yet. A check keeps a byte on the device.
MOST_FLAGS = 2**8
# The most products of elements of a sparse and a dense tensor that are in memory at once.
MOST_PRODUCTS = 2**24
# The most elements of a row that a kernel's program holds in registers, and the most nodes of a kernel.
MOST_ROW = 2**14
LONGEST_KERNEL = 64
# The number of elements of rows, or of pieces of a fold, that a kernel's program holds at once.
KERNEL_TILE = 2**10
WIDEST = 64  # the most rows of a program
WARP = 512  # the elements of a row for each warp
# The number of programs that keeps a device busy. Long folds are divided into as many programs.
PROGRAMS = 2**10
# The count of random numbers that are drawn at once. The words of a number need 8 bytes in each of several tensors.
RANDOM_PIECE = 2**22
# The most elements of image regions that are sampled at once, and the most pairs of boxes that are compared at once.
SAMPLED_PIECE = 2**25
COMPARED_PIECE = 2**26

# --- exchange with NumPy (tensor/exchange.py) ---

# The most bytes of an array that is copied instead of shared. For such an array, making an object that keeps the array
# alive would need more time than a copy.
FEW_BYTES = 4096

# --- ONNX models: operations that are fused or packed (interop/onnx) ---

FUSED_CHAIN = _core.costs["fused_chain"]
PACKED_MATRIX = _core.costs["packed_matrix"]
FEW_BYTE_ROWS = _core.costs["few_byte_rows"]
LEAST_BYTE_COLUMNS = _core.costs["least_byte_columns"]
# The most calls of one chain, because the engine has registers for about as many calls.
LONGEST_CHAIN = 64
# The most sets of input shapes for which a model stores values. The least recently used sets are dropped.
MOST_SHAPES = 16
# The least bytes of a model's file, and the least bytes of a tensor in the file, for which the file and the tensor are
# read without protobuf.
LARGE_FILE = 2**20
LARGE_TENSOR = 2**12
# The most fields of a stored tensor or attribute that are read without protobuf. A list of numbers may consist of many
# fields.
MOST_FIELDS = 32
# The least bytes of a table of rows that is not computed at load, but row by row in each run. Smaller tables are
# computed at load.
LARGE_TABLE = 2**22
# The most operators between a table and the lookup of the table's rows.
DEEPEST_LOOKUP = 8
# The most bytes of equal constants that become one constant, so that operators on the constants run only once.
MERGED_CONSTANT = 2**10
# The most bytes of a stored tensor that ONNX's shape inference may read. Shapes and axes are smaller.
INFERRED_CONSTANT = 2**10
INFERRED_ELEMENTS = INFERRED_CONSTANT // 8

# --- ONNX models: limits for hostile models at load ---

# The factor and the summand that limit constants: the factor times the bytes that the model stores, plus the summand in
# bytes.
MOST_GROWTH = 8, 2**27
# The factor and the summand, as for constants, that limit all results computed at load, including freed results.
MOST_WORK = 32, 2**28
# The most nodes that definitions of operators may add to a model. A node needs about 2 KiB until the model is loaded.
MOST_NODES = 2**18
MOST_BYTES = 2**28
# The most levels of functions that call each other. onnx's inliner has the same limit.
MOST_LEVELS = 100
# The most levels of graphs within nodes. protobuf's parser accepts only a few more levels.
MOST_NESTED = 30
# The most calls that a run makes in bodies of loops. So many calls take at least a few seconds. Each iteration of a
# loop counts as a further call.
MOST_REPEATED = 2**22
# The most parts of texts in the result of a StringSplit, including the empty parts that pad rows.
MOST_PARTS = 2**26
# The numbers of nodes and bytes that the limits assume for an operator that ONNX itself defines by other operators. The
# longest such definition in onnx 1.23, for Attention, has 111 nodes.
OF_ONNX = 128, 2**14
# The greatest number of elements of a shape, of axes or of a list of parts, and of a sequence.
MOST_NUMBERS = 2**16
# The greatest denominator of a fraction that replaces the scale of a Resize.
MOST_EXACT = 2**12
# The most results on an axis for which positions in float32 lead to the nearest elements, if no position lies midway
# between two elements.
MOST_PLACES = 2**20
