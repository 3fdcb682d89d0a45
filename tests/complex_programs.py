"""Programs with complex values between real arguments and a real result."""

import numpy as np
from numpy import fft


def literal(x):
    z = (2.0 + 3.0j) * x * x
    return z.real + z.imag


def intermediate(x):
    z = complex(x, 1.0)
    w = z * z
    return w.real * 2.0 + w.imag


def exponential(x):
    z = np.exp(1j * x) * x + 2.0
    return np.abs(z) ** 2


def impedance(r, inductance, c, w):
    z = r + 1j * w * inductance
    z += 1.0 / (1j * w * c)
    z *= 0.5 - 0.25j
    z /= 1.0 + 2.0j * r
    z -= 0.3j * inductance
    return abs(z) + np.angle(z)


def transfer(k, damping):
    total = 0.0
    for n in range(1, 6):
        s = 1j * n
        h = k / (s * s + 2.0 * damping * s + k)
        total += np.log(np.abs(h)) + 0.1 * np.angle(h)
    return total


def mandelbrot(a, b):
    c = complex(a, b)
    z = 0.0
    for _ in range(7):
        z = z * z + c
    return abs(z) ** 2


def powers(x, y):
    z = x + 1j * y
    w = z**3 - 2.0 / z + z**0.5 + 2.0 ** (0.3 * z)
    return w.real * w.imag


def functions(x, y):
    z = x + 1j * y
    w = np.sqrt(z) + np.log(z) + np.sin(z) * np.cos(z) + np.tanh(z) + np.sinh(0.2 * z)
    return np.real(w) + np.imag(w) * np.real(np.conj(z) * w)


def conjugates(x, y):
    z = x * (1.0 + 2.0j)
    return np.sum((z * z.conj() + np.conj(z) * y).real) + np.sum(z.imag * y)


def power_spectrum(x):
    z = fft.fft(x)
    return np.sum(np.abs(z) ** 2 * np.arange(len(x)))


def filtered(x, k):
    spectrum = np.fft.rfft(x) * np.exp(-0.1 * k * np.arange(5))
    return np.sum(np.fft.irfft(spectrum) ** 3)


def shifted(x):
    z = np.fft.fftshift(np.fft.fft(x))
    w = np.fft.ifft(z * np.exp(1j * x))
    return np.sum(w.real * x + w.imag**2)


def convolved(a, b):
    return np.sum(np.fft.ifft(np.fft.fft(a) * np.fft.fft(b)).real ** 2)


def image(a):
    return np.sum(np.abs(np.fft.fft2(a)) * np.abs(np.fft.ifft2(a * a)))


def volume(a):
    return np.sum(np.fft.fftn(a).imag ** 2) + np.sum(np.fft.ifftn(a).real ** 2 * a)


def walk(theta, phi):
    up = np.zeros(9, dtype=complex)
    down = np.zeros(9, dtype=complex)
    up[4] = 1.0
    for _ in range(4):
        a = np.cos(theta) * up + np.exp(1j * phi) * np.sin(theta) * down
        b = np.sin(theta) * up - np.exp(1j * phi) * np.cos(theta) * down
        up = np.roll(a, 1)
        down = np.roll(b, -1)
    chances = np.abs(up) ** 2 + np.abs(down) ** 2
    return np.sum(chances * np.arange(9) ** 2)


def stores(x):
    psi = np.zeros(4, dtype=complex)
    for k in range(4):
        psi[k] = x[k] * np.exp(1j * x[3 - k])
    psi[1:] *= 1j * x[0]
    return np.sum(psi.real * psi.imag) + np.abs(np.sum(psi))


def matrices(a, t):
    h = a + a.T
    u = np.linalg.inv(np.eye(3) + 0.5j * t * h) @ (np.eye(3) - 0.5j * t * h)
    psi = u @ np.array([1.0, 0.0, 0.0])
    return np.abs(psi[2]) ** 2 + np.vdot(psi, h @ psi).real


def solved(a, b):
    x = np.linalg.solve(a + 1j * np.eye(3), b)
    return np.sum(np.abs(x) ** 2)


def products(a, v):
    z = (a + 0.3j) @ v
    w = np.outer(z, z)
    return np.sum(np.abs(w)) + np.abs(np.dot(z, z)) + np.trace(w).real


def joined(x, y):
    z = np.concatenate([x * 1j, y + 0.5j])
    w = np.stack([z, z**2]).T.reshape(-1)
    return np.sum(np.cumsum(w).imag) + np.mean(np.where(x.sum() > 0, w, 2.0 * w)).real


def chosen(x):
    z = 1j * x
    if abs(z) > 1.0:  # noqa: SIM108
        z = z / abs(z)
    else:
        z = z * z
    while abs(z) < 5.0:
        z = z * (1.3 + 0.2j) + x
    return z.imag + 2.0 * z.real


def fresnel_slit(width, distance):
    points = np.linspace(-1.0, 1.0, 7)
    amplitude = np.sum(np.exp(1j * (points * width) ** 2 / distance)) / np.sqrt(1j * distance)
    return np.abs(amplitude) ** 2


def mixed(x, y):
    z = x
    for k in range(3):
        z = z * y + 1j * k
    return np.sum(np.abs(z))


def lists(x):
    zs = []
    for k in range(3):
        zs.append(np.exp(1j * k * x))
    total = 0.0
    for z in zs:
        total = total + z * z
    return abs(total)


def double_slit(x):
    z = np.exp(1j * x)[:, None] + np.exp(2j * x)
    return np.sum(np.abs(z[1]) ** 2) + np.sum(np.real(z[:, 0]))


NUMBERS = (0.7, 1.3)
V4 = np.array([0.3, -0.8, 1.1, 0.6])
V4B = np.array([0.9, 0.4, -0.5, 0.2])
V8 = np.array([0.3, -0.8, 1.1, 0.6, 0.1, -0.4, 0.9, 0.5])
M3 = np.array([[0.3, -0.8, 1.1], [0.6, 0.2, -0.5], [0.9, 0.4, 0.7]])
M34 = np.array([[0.3, -0.8, 1.1, 0.2], [0.6, 0.2, -0.5, 0.1], [0.9, 0.4, 0.7, -0.3]])

PROGRAMS = [
    (literal, (0.7,)),
    (intermediate, (0.7,)),
    (exponential, (0.7,)),
    (impedance, (0.7, 1.3, 0.4, 2.1)),
    (transfer, (1.7, 0.3)),
    (mandelbrot, (-0.3, 0.4)),
    (powers, NUMBERS),
    (functions, NUMBERS),
    (functions, (V4 + 1.0, V4B), 'sum'),
    (conjugates, (V4, V4B)),
    (power_spectrum, (V4,)),
    (filtered, (V8, 0.4)),
    (shifted, (V4,)),
    (convolved, (V4, V4B)),
    (image, (M34,)),
    (volume, (M34,)),
    (walk, NUMBERS),
    (stores, (V4,)),
    (matrices, (M3, 0.4)),
    (solved, (M3, V4[:3])),
    (products, (M34, V4)),
    (joined, (V4, V4B)),
    (chosen, (0.7,)),
    (chosen, (1.7,)),
    (fresnel_slit, NUMBERS),
    (mixed, NUMBERS),
    (lists, (0.7,)),
    (double_slit, (V4,)),
]
