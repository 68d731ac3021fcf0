"""Gradients in torch and jax against finite differences of the same distances."""

from __future__ import annotations

import numpy as np
import pytest

import superegg
from superegg import InvalidInput

H = 1e-5


def parameters(rng, count):
    """Bodies apart, so that distances are smooth."""
    return {
        "radii": rng.uniform(0.5, 1, (count, 3)),
        "exponents": rng.uniform(0.7, 1.2, (count, 2)),
        "taper": np.repeat(rng.uniform(-0.1, 0.1, (count, 1)), 2, axis=1),
        "position": np.array([3, 0.3, 0.2]) + 0.3 * rng.normal(size=(count, 3)),
        "orientation": rng.normal(size=(count, 4)),
    }


BODY = superegg.superellipsoid([0.8, 0.9, 1.0], [0.9, 1.1])


def value(p):
    pose = superegg.Pose(p["position"], p["orientation"])
    return superegg.distance(BODY, superegg.superovoid(p["radii"], p["exponents"], p["taper"]), pose_b=pose, tolerance=1e-13).distance


def differences(p):
    made = {}
    for name, array in p.items():
        made[name] = np.empty_like(array)
        for column in range(array.shape[1]):
            step = np.zeros(array.shape[1])
            step[column] = H
            ahead, behind = value({**p, name: array + step}), value({**p, name: array - step})
            made[name][:, column] = (ahead - behind) / (2 * H)
    return made


def test_gradients_in_jax(rng):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import superegg.jax as sj

    p = parameters(rng, 40)

    def total(p):
        egg = sj.Superquadric(p["radii"], p["exponents"], p["taper"])
        return sj.distance(BODY, egg, pose_b=(p["position"], p["orientation"]), tolerance=1e-12).sum()

    expected = differences(p)
    for found in (jax.grad(total)(p), jax.jit(jax.grad(total))(p)):
        for name in p:
            np.testing.assert_allclose(found[name], expected[name], atol=1e-6)

    def one(position):
        return sj.distance(BODY, BODY, pose_b=position)

    mapped = jax.vmap(jax.grad(one))(p["position"])
    direct = superegg.gradient(BODY, BODY, pose_b=p["position"]).position_b
    np.testing.assert_allclose(mapped, direct, atol=1e-6)
    both = sj.distance(BODY, BODY, pose_b=jax.numpy.concatenate([p["position"], p["orientation"]], axis=1))
    assert both.shape == (40,) and isinstance(both, jax.Array)
    single = sj.distance(BODY, BODY, pose_b=jax.numpy.asarray([3, 0, 0], dtype=jax.numpy.float32))
    assert single.dtype == jax.numpy.float32 and single.shape == ()
    # A batch of shapes that are no arrays: its dimensions are shared by the position, whose gradients add up.
    many = superegg.superellipsoid(np.full((6, 3), 0.5))
    slope = jax.grad(lambda at: sj.distance(many, BODY, pose_b=at).sum())(jax.numpy.asarray([3.0, 0, 0]))
    np.testing.assert_allclose(slope, [6, 0, 0], atol=1e-6)
    with pytest.raises(InvalidInput):
        sj.distance(BODY, BODY, pose_b=jax.numpy.zeros(5))
    with pytest.raises(InvalidInput):
        sj.distance(BODY, "egg")


def test_gradients_in_torch(rng):
    torch = pytest.importorskip("torch", reason="torch is not installed: superegg.torch is not tested")
    import superegg.torch as st

    p = parameters(rng, 40)
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in p.items()}
    egg = st.Superquadric(tensors["radii"], tensors["exponents"], tensors["taper"])
    distance = st.distance(BODY, egg, pose_b=(tensors["position"], tensors["orientation"]), tolerance=1e-12)
    np.testing.assert_allclose(distance.detach(), value(p), atol=1e-8)
    distance.sum().backward()
    expected = differences(p)
    for name, tensor in tensors.items():
        np.testing.assert_allclose(tensor.grad, expected[name], atol=1e-6)
    weights = torch.linspace(-1, 1, 40, dtype=torch.float64)
    at = torch.tensor([3.0, 0, 0], dtype=torch.float64, requires_grad=True)
    many = superegg.superellipsoid(np.full((40, 3), 0.5))
    (st.distance(many, BODY, pose_b=at) * weights).sum().backward()
    np.testing.assert_allclose(at.grad, [float(weights.sum()), 0, 0], atol=1e-6)
    single = st.distance(BODY, BODY, pose_b=torch.tensor([3.0, 0, 0], requires_grad=True))
    assert single.dtype == torch.float32 and single.shape == ()
    with torch.no_grad():
        assert not st.distance(BODY, BODY, pose_b=at).requires_grad
    assert torch.autograd.gradcheck(
        lambda position, quaternion: st.distance(BODY, many[:3], (position, quaternion), tolerance=1e-13),
        (torch.tensor(p["position"][:3], requires_grad=True), torch.tensor(p["orientation"][:3], requires_grad=True)),
        atol=1e-5,
    )
    with pytest.raises(InvalidInput):
        st.distance(BODY, BODY, pose_b=torch.zeros(5))


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_examples_of_the_modules_hold(library):
    import doctest
    import importlib

    pytest.importorskip(library)
    module = importlib.import_module(f"superegg.{library}")
    assert doctest.testmod(module, verbose=False).failed == 0
