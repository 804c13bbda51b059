"""Every tuned number of Python's part: how much is kept, looked at or allowed, and from where on a way pays.

The core has the numbers that depend on the machine (native/runtime/costs.h). Numbers that a format, a protocol or an
algorithm prescribes are not tuned, and stand where they are used. `tests/house.py` counts tuned numbers in other
modules.
"""

from __future__ import annotations

from suanzi import _core

# --- memory ---

# The part of its memory that a process keeps for blocks to come at most; of a worker of Dask's, of that worker's.
CACHE_SHARE = _core.costs["cache_share"]

# --- functions of several operators (extras/) ---

# Elements up to which an operator takes less time to make a new tensor than to write into one that is there.
DIRECT_ELEMENTS = _core.costs["direct_elements"]

# --- neural networks (nn/) ---

# Elements of a plane whose mean is that of a window, in the planes' type; those of larger ones are added in float64.
WHOLE_PLANE = 2**12
# The longest rows that are normalised one after the other in one pass: with what is made of them they stay in a core's
# own cache.
WHOLE_ROW = 2**13
# The longest rows whose softmax is computed one after the other: one call of a kernel adds their elements.
SOFTMAX_ROW = _core.costs["whole_reduction"]

# --- fused functions (fusion/) ---

FUSED_ROW = _core.costs["fused_row"]
STEPS_LIKE_MEMORY = _core.costs["steps_like_memory"]
MOST_VIEWS = _core.costs["most_views"]
# Programs of one function: those used longest ago are forgotten. A program takes some 10 KiB.
MOST_PROGRAMS = 64
# Calls of one function that the core compares the arguments with one after the other, 0.1 us each.
MOST_KNOWN_CALLS = 8
# Traces that only the number of elements of sparse tensors made necessary, after which that number is taken to be
# another at most calls and is no part any more of what a program is known by.
MOST_MOVES = 16

# --- tensors on devices (devices/) ---

# Elements of operands up to which the CPU is asked what is wrong with a call: it computes with stand-ins of the shapes.
MOST_ASKED = 2**22
# Elements of float32 on a device that PyTorch sums in float32; more are summed in float64 and rounded once. A
# sum of eight is off by at most seven roundings, and small calls are as fast as PyTorch's.
FEW_SUMMED = 8
# Elements of matrices up to which the CPU is asked about their shapes: factors of a stand-in take a millisecond.
MOST_MATRIX = 2**14
# Dimensions up to which the CPU is asked about orders with two elements along each.
MOST_DIMENSIONS_ASKED = 8
# Answers of the CPU that are kept, of some 200 bytes each.
MOST_ANSWERS = 2**12
# Checks of indices that wait to be read: each keeps a byte on the device.
MOST_FLAGS = 2**8
# Products of a sparse and a dense tensor that are made at once.
MOST_PRODUCTS = 2**24
# Elements of a row that one program of a kernel has in registers, and nodes that one kernel computes.
MOST_ROW = 2**14
LONGEST_KERNEL = 64
# Elements that a program of a kernel has at once: of rows, and of what is folded in pieces.
KERNEL_TILE = 2**10
WIDEST = 64  # rows of them
WARP = 512  # elements of a row for one warp
# Programs of a kernel that keep a device busy: long folds are divided into as many.
PROGRAMS = 2**10
# Random numbers that are made at once: the words of each take 8 bytes, several times over.
RANDOM_PIECE = 2**22
# Elements of a few regions of images that are sampled at once, and pairs of boxes that are compared.
SAMPLED_PIECE = 2**25
COMPARED_PIECE = 2**26

# --- exchange with NumPy (tensor/exchange.py) ---

# Bytes of an array that take less time to copy than to keep the array alive, which makes an object for that.
FEW_BYTES = 4096

# --- ONNX models: what is fused or packed (interop/onnx) ---

FUSED_CHAIN = _core.costs["fused_chain"]
PACKED_MATRIX = _core.costs["packed_matrix"]
# Calls of one chain: the engine has registers for about as many.
LONGEST_CHAIN = 64
# Sets of shapes of inputs of which a model remembers what follows from them: those used longest ago are forgotten.
MOST_SHAPES = 16
# Bytes of a computed table of rows from which on it stays as it is stored; smaller ones are computed at load.
LARGE_TABLE = 2**22
# Operators between a table and the lookup of its rows.
DEEPEST_LOOKUP = 8
# Bytes up to which equal constants are one, so that what is made of them is one, too.
MERGED_CONSTANT = 2**10
# Bytes of a stored tensor that ONNX's inference of shapes may read: shapes and axes are smaller.
INFERRED_CONSTANT = 2**10

# --- ONNX models: what a hostile one may take at load ---

# Constants become at most so many times the bytes that the model stores, and so many more.
MOST_GROWTH = 8, 2**20
# The limit for all results together that are computed on the way, with those that are freed again.
MOST_WORK = 32, 2**24
# The nodes that definitions of operators may add to a model. A node takes about 2 KiB until it is loaded.
MOST_NODES = 2**18
MOST_BYTES = 2**28
# Levels of functions that call each other; the inliner of onnx has the same limit.
MOST_LEVELS = 100
# Levels of graphs within nodes; protobuf's parser takes few more.
MOST_NESTED = 30
# Calls that a run makes in bodies of loops, which takes a few seconds at least; each trip counts as one more.
MOST_REPEATED = 2**22
# Parts of texts that a StringSplit gives, those that only fill rows up included.
MOST_PARTS = 2**26
# Nodes and bytes that count for a definition of ONNX's own; the longest of onnx 1.23, Attention's, has 111 nodes.
OF_ONNX = 128, 2**14
# Elements of a shape, of axes, of the sizes of parts; of these there is one for each result.
MOST_NUMBERS = 2**16
# Denominators up to which the scale of a Resize is taken for the fraction that was meant.
MOST_EXACT = 2**12
# Places on an axis for which float32 tells the element that is nearest, if none lies in the middle of two.
MOST_PLACES = 2**20
