"""JAX: what is the same as in NumPy and SciPy, and the functions of jax.nn and jax.lax."""

same("jax.numpy", "numpy", """
    absolute abs fabs square sqrt cbrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan
    arcsin asin arccos acos arctan atan sinh cosh tanh arcsinh asinh arccosh acosh arctanh atanh
    deg2rad radians rad2deg degrees sinc real conjugate conj nan_to_num maximum minimum fmax fmin
    float_power arctan2 atan2 hypot logaddexp logaddexp2 fmod copysign where clip modf frexp ldexp
    sign floor ceil trunc rint heaviside isnan isfinite isinf signbit iscomplex isreal isposinf
    isneginf isclose logical_not logical_and logical_or logical_xor reshape ravel transpose
    permute_dims swapaxes moveaxis expand_dims squeeze broadcast_to flip concatenate concat stack
    array asarray copy astype take full full_like linspace arange zeros ones empty zeros_like
    ones_like empty_like eye identity round around shape size ndim atleast_1d atleast_2d atleast_3d
    flipud fliplr rot90 roll repeat tile pad tril triu diag diagonal hstack vstack column_stack
    dstack append take_along_axis split array_split meshgrid dot outer inner vdot tensordot einsum
    kron cross trace sum mean var std prod max amax min amin nansum nanmean nanmax nanmin average
    median quantile percentile trapezoid interp convolve cumsum diff sort cumprod any all argmax
    argmin nanargmax nanargmin count_nonzero argsort searchsorted allclose array_equal ptp gradient
    polyval add subtract multiply divide true_divide power pow mod remainder floor_divide negative
    positive matmul equal not_equal less less_equal greater greater_equal
    """)

same("jax.numpy.linalg", "numpy.linalg", """
    solve inv norm det cholesky eigh eigvalsh svd qr slogdet pinv lstsq matrix_power
    """)

same("jax.scipy.special", "scipy.special", """
    erf erfc erfinv expit logit gammaln digamma xlogy xlog1py entr logsumexp softmax log_softmax
    log_ndtr ndtr
    """)

same("jax.scipy.linalg", "scipy.linalg", "solve inv det cholesky solve_triangular")

same("jax.nn", "scipy.special", "logsumexp", sigmoid="expit", log_sigmoid="log_expit")

same("jax.lax", "numpy", """
    exp exp2 log log1p expm1 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh sqrt cbrt
    square reciprocal abs sign floor ceil round add atan2 expand_dims
    """, mul="multiply", sub="subtract", pow="power",
     max="maximum", min="minimum", neg="negative")

same("jax.lax", "scipy.special", "erf erfc digamma", erf_inv="erfinv", lgamma="gammaln",
     logistic="expit")
