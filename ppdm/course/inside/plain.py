"""Plain data as JSON: what may pass between a cell and the checker, and nothing else.

Numbers, text, lists, tuples, dictionaries, arrays of numbers, pandas' frames and series. The
checker may also send a random generator (its state), and a function (a number to call back).
Whatever else a student's function returns arrives as `Unplain`: a name and a word of what it was.

>>> unpack(pack((1, 0.5, None, [True, "a"])))
(1, 0.5, None, [True, 'a'])
>>> unpack(pack(object()))
<an object>
"""

from __future__ import annotations

import base64
import json
import math
import numbers
import random
from typing import Any

import numpy as np
import pandas as pd

#: Bytes of one message. The largest right answer has 200 KB.
LARGEST = 8 << 20
#: Lists within lists within lists.
DEEPEST = 20
KINDS = "biufc"


class Unplain:
    """Stands for an answer that is no plain data."""

    def __init__(self, words: str):
        self.words = words

    def __repr__(self) -> str:
        return self.words


class NotPlainError(ValueError):
    """A message that is not what it should be."""


def pack(value, functions: list | None = None) -> bytes:
    """JSON of `value`; functions, if they may be sent, are put into the list `functions`."""
    return json.dumps(_down(value, functions, DEEPEST)).encode("ascii")


def unpack(data: bytes, call=None):
    """The value of `pack`; `call(number, name)` makes a function of a function's number."""
    return raise_up(loads(data), call)


def loads(data: bytes):
    """JSON, whatever is wrong with it being a NotPlainError."""
    if len(data) > LARGEST:
        raise NotPlainError(f"{len(data) / 1e6:.0f} MB in one answer; {LARGEST >> 20} are allowed")
    try:
        return json.loads(data)
    except (ValueError, RecursionError, UnicodeDecodeError):
        raise NotPlainError("an answer that is no plain data") from None


# -- down: Python's values as JSON -----------------------------------------------------------


def _down(value, functions, deep: int):
    if value is None or type(value) is bool or type(value) is float:
        return value
    if deep == 0:
        return {"other": "something nested too deeply"}
    if isinstance(value, np.ndarray | np.generic):
        return _array(value, functions, deep)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return {"s": _text(str.__str__(value), LARGEST)}
    if isinstance(value, int):
        value = int.__int__(value)
        return value if -(2**63) <= value < 2**64 else {"other": "a whole number too large to send"}
    if isinstance(value, tuple | list):
        kind = "t" if isinstance(value, tuple) else "l"
        return {kind: [_down(part, functions, deep - 1) for part in value]}
    if isinstance(value, range):
        return {"l": list(value[: LARGEST >> 3])}
    if isinstance(value, dict):
        pairs = [
            [_down(k, functions, deep - 1), _down(v, functions, deep - 1)] for k, v in value.items()
        ]
        return {"d": pairs}
    if isinstance(value, pd.DataFrame):
        columns = [_column(value.iloc[:, i], functions, deep) for i in range(value.shape[1])]
        return {
            "frame": columns,
            "names": _down(list(value.columns), functions, deep - 1),
            "index": _column(value.index, functions, deep),
        }
    if isinstance(value, pd.Series):
        return {
            "series": _column(value, functions, deep),
            "name": _down(value.name, functions, 1),
            "index": _column(value.index, functions, deep),
        }
    if isinstance(value, pd.Index):
        return _column(value, functions, deep)
    if functions is not None:
        return _only_the_checker_sends(value, functions)
    if isinstance(value, numbers.Real):  # fractions and the like
        return float(value)
    return {"other": _word(value)}


def _only_the_checker_sends(value, functions: list):
    if isinstance(value, np.random.Generator):
        state = value.bit_generator.state
        if state["bit_generator"] == "PCG64":
            inner = {name: str(number) for name, number in state["state"].items()}
            return {"rng": {**state, "state": inner}}
    if type(value) is random.Random:
        return {"random": json.dumps(value.getstate())}
    if callable(value):
        functions.append(value)
        name = _text(getattr(value, "__name__", "function"), 80)
        return {"call": len(functions) - 1, "name": name}
    raise TypeError(
        f"a check can send plain data, frames, generators and functions, not {value!r:.80}"
    )


def _array(value, functions, deep: int):
    array = np.asarray(value)
    if array.dtype.kind not in KINDS:
        if array.dtype.kind in "OUSTmM" and array.size <= LARGEST >> 3:
            return _down(array.tolist() if array.ndim else str(array), functions, deep - 1)
        return {"other": _word(value)}
    if array.dtype.itemsize > 8 and array.dtype.kind == "f":
        array = array.astype(float)
    if array.dtype.kind == "c":
        array = array.astype(complex)
    if array.nbytes > LARGEST:
        return {"other": f"an array of the shape {array.shape}, too large to send"}
    array = array.astype(array.dtype.newbyteorder("<"))
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    one = {"one": True} if isinstance(value, np.generic) else {}
    return {"a": array.dtype.str, "shape": list(array.shape), "data": data, **one}


def _column(column, functions, deep: int):
    array = np.asarray(column)
    if array.dtype.kind in KINDS:
        return _array(array, functions, deep)
    return _down([None if part is pd.NA else part for part in array.tolist()], functions, deep - 1)


def _word(value) -> str:
    name = getattr(type(value), "__name__", "object")
    article = "an" if str(name)[:1].lower() in tuple("aeiou") else "a"
    return f"<{article} {_text(str(name), 60)}>"


def _text(text: str, length: int) -> str:
    return text[:length].encode("utf-8", "replace").decode("utf-8")


# -- up: JSON as Python's values, read with care ----------------------------------------------


def raise_up(node, call=None, deep: int = 2 * DEEPEST):
    """The value that a node of JSON stands for."""
    if node is None or isinstance(node, bool | int | float):
        return node
    if deep == 0 or not isinstance(node, dict) or not node:
        raise NotPlainError("an answer that is no plain data")
    try:
        return _RAISE[next(iter(node))](node, call, deep - 1)
    except NotPlainError:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with it
        raise NotPlainError("an answer that is no plain data") from None


def _raise_array(node, call, deep):
    dtype = np.dtype(str(node["a"]))
    if dtype.kind not in KINDS or dtype.itemsize > 16 or dtype.hasobject:
        raise NotPlainError("an array that is not of numbers")
    shape = tuple(int(n) for n in node["shape"])
    data = base64.b64decode(node["data"], validate=True)
    if min(shape, default=1) < 0 or math.prod(shape) * dtype.itemsize != len(data):
        raise NotPlainError("an array whose size and shape disagree")
    array = np.frombuffer(data, dtype).reshape(shape).astype(dtype.newbyteorder("="))
    return array[()] if node.get("one") and array.ndim == 0 else array


def _raise_dict(node, call, deep):
    return {raise_up(k, call, deep): raise_up(v, call, deep) for k, v in node["d"]}


def _raise_frame(node, call, deep):
    columns = [raise_up(column, call, deep) for column in node["frame"]]
    index = raise_up(node["index"], call, deep)
    if any(np.ndim(column) != 1 or len(column) != len(index) for column in columns):
        raise NotPlainError("a frame whose columns differ in length")
    frame = pd.DataFrame(dict(enumerate(columns)), index=index)
    frame.columns = raise_up(node["names"], call, deep)
    return frame


def _raise_series(node, call, deep):
    values, index = raise_up(node["series"], call, deep), raise_up(node["index"], call, deep)
    return pd.Series(values, index=index, name=raise_up(node["name"], call, deep))


def _raise_generator(node, call, deep):
    if call is None:
        raise NotPlainError("a generator, which only a check may send")
    bits = np.random.PCG64()
    inner = {name: int(number) for name, number in node["rng"]["state"].items()}
    state: Any = {**node["rng"], "state": inner}
    bits.state = state
    return np.random.Generator(bits)


def _raise_random(node, call, deep):
    if call is None:
        raise NotPlainError("a generator, which only a check may send")
    version, inner, last = json.loads(node["random"])
    rng = random.Random()
    rng.setstate((version, tuple(inner), last))
    return rng


def _raise_call(node, call, deep):
    if call is None:
        raise NotPlainError("a function, which only a check may send")
    return call(node["call"], node["name"])


_RAISE = {
    "s": lambda node, call, deep: str(node["s"]),
    "other": lambda node, call, deep: Unplain(str(node["other"])[:120]),
    "t": lambda node, call, deep: tuple(raise_up(part, call, deep) for part in node["t"]),
    "l": lambda node, call, deep: [raise_up(part, call, deep) for part in node["l"]],
    "d": _raise_dict, "a": _raise_array, "frame": _raise_frame, "series": _raise_series,
    "rng": _raise_generator, "random": _raise_random, "call": _raise_call,
}  # fmt: skip
