"""The operator domains that models import, and the schemas of the domains' operators.

The package onnx contains the schemas of the package's own domains. microsoft.py declares the schemas of com.microsoft.
"""

from __future__ import annotations

from onnx import ModelProto, NodeProto, defs, helper

from suanzi import InvalidArgumentError
from suanzi.interop.onnx import microsoft
from suanzi.interop.onnx.types import UnsupportedError
from suanzi.tensor.messages import shown

LONG = "ai.onnx"
DOMAINS = ("", LONG)  # two names of the default domain
ML = "ai.onnx.ml"
MICROSOFT = microsoft.DOMAIN

# Operators of the default domain without a row in the table, because the plan converts such nodes to constants.
CONSTANTS = frozenset({"Constant"})

_PREVIEWS = ("ai.onnx.preview", "ai.onnx.preview.training")  # domains of which onnx has version 1

# The newest opset of each domain that contains known operators, supported or not. The number of ai.onnx.ml is from the
# table of onnx's releases. Reading the number from onnx's schemas would take 5 ms, because onnx would make an object of
# each schema.
LATEST = {
    "": defs.onnx_opset_version(),
    ML: max(version for domain, version in helper.OP_SET_ID_VERSION_MAP if domain == ML),
    MICROSOFT: 1,
    **dict.fromkeys(_PREVIEWS, 1),
}

# The first look-up of a process makes onnx's table of operators, which takes 8 ms. This module makes the table at
# import, as ONNX Runtime does, so that the time of loading a model does not include the table.
defs.has("Constant")


def is_known(domain: str) -> bool:
    """Return whether a domain contains known operators."""
    return domain in LATEST


def imports_of(model: ModelProto) -> dict[str, int]:
    """Return the version of each domain that the model imports. For a domain with several versions, return the last
    version.
    """
    return {entry.domain: entry.version for entry in model.opset_import}


def opsets_of(model: ModelProto) -> dict[str, int]:
    """Return the opset of each domain that the model imports. Raise an error if a known domain lacks the opset."""
    imported = imports_of(model)
    names = [domain for domain in DOMAINS if domain in imported]
    if not names and imported and LATEST.keys().isdisjoint(imported):
        raise UnsupportedError(f"onnx: domain {shown(next(iter(imported)))} is not supported")
    versions = {(entry.domain, entry.version) for entry in model.opset_import}
    if len(imported) < len(versions):  # exporters sometimes repeat a version, which is harmless
        name = next(domain for domain in imported if sum(domain == each for each, _ in versions) > 1)
        count = sum(domain == name for domain, _ in versions)
        raise InvalidArgumentError(f"onnx: the model imports {count} opsets of domain {shown(name)}, not one")
    if len(names) > 1 or not imported:
        raise InvalidArgumentError(f"onnx: the model imports {len(names)} opsets of the default domain, not one")
    for domain, version in imported.items():
        last = defs.onnx_opset_version() if domain in DOMAINS else LATEST.get(domain)
        if last is not None and not 1 <= version <= last:
            what = f"opset {version}" if domain in DOMAINS else f"opset {version} of domain {domain}"
            raise UnsupportedError(f"onnx: {what} is outside [1, {last}]")
    return {("" if domain == LONG else domain): version for domain, version in imported.items()}


def schema_of(domain: str, name: str, opset: int | None) -> defs.OpSchema | None:
    """Return the schema of an operator in an opset. Return None if the domain is not known, if the opset lacks the
    operator, or if `opset` is None because the model does not import the domain.
    """
    if opset is None or not is_known(domain):
        return None
    if domain == MICROSOFT:
        return microsoft.SCHEMAS.get(name)
    return defs.get_schema(name, opset, domain) if defs.has(name, opset, domain) else None


def is_constant(node: NodeProto) -> bool:
    """Return whether a node is a Constant, a value that the model stores."""
    return node.op_type in CONSTANTS and node.domain in DOMAINS
