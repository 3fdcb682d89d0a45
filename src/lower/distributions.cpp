// Densities and distribution functions of scipy.stats, written out.
//
//     norm.logpdf(x, m, s)               y = (x - m) / s
//                                        -0.5 * y * y - 0.9189385332046727 - np.log(s)
//
// In: a call of a method of one of SciPy's distributions, whose name is that of the distribution
// and of the method ("scipy.stats.norm.logpdf"). Out: its value, or null if it is not listed here.
// The formulas are those of SciPy's documentation of each distribution, in its standard form: `y`
// is the point without location and scale. Where SciPy gives nan for a scale that is not positive,
// so does the logarithm of it; what has no logarithm raises a ValueError there.
#include <algorithm>
#include <array>

#include "lower/lowering.h"

namespace tangent::lowering {

namespace {

// A distribution's method: the log-density is what the density is made of.
struct Formula {
  std::string_view distribution;
  std::string_view method;      // logpdf, logpmf, cdf, sf, logcdf, logsf, ppf
  std::string_view parameters;  // of its shape, in SciPy's order: "a, b"
  std::string_view value;       // of y, or of q for ppf
  bool scaled = true;           // has a scale besides its location
};

constexpr auto kFormulas = std::to_array<Formula>({
    {"norm", "logpdf", "", "-0.5 * y * y - 0.9189385332046727"},
    {"norm", "cdf", "", "special.ndtr(y)"},
    {"norm", "sf", "", "special.ndtr(-y)"},
    {"norm", "logcdf", "", "special.log_ndtr(y)"},
    {"norm", "logsf", "", "special.log_ndtr(-y)"},
    {"norm", "ppf", "", "special.ndtri(q)"},
    {"expon", "logpdf", "", "np.where(y >= 0.0, -y, -np.inf)"},
    {"expon", "cdf", "", "np.where(y > 0.0, -np.expm1(-y), 0.0)"},
    {"expon", "sf", "", "np.where(y > 0.0, np.exp(-y), 1.0)"},
    {"expon", "ppf", "", "-np.log1p(-q)"},
    {"uniform", "logpdf", "", "np.where((y >= 0.0) & (y <= 1.0), 0.0 * y, -np.inf)"},
    {"uniform", "cdf", "", "np.clip(y, 0.0, 1.0)"},
    {"laplace", "logpdf", "", "-0.6931471805599453 - np.abs(y)"},
    {"logistic", "logpdf", "", "-np.abs(y) - 2.0 * np.log1p(np.exp(-np.abs(y)))"},
    {"logistic", "cdf", "", "special.expit(y)"},
    {"logistic", "sf", "", "special.expit(-y)"},
    {"cauchy", "logpdf", "", "-1.1447298858494002 - np.log1p(y * y)"},
    {"halfnorm", "logpdf", "", "np.where(y >= 0.0, -0.5 * y * y - 0.22579135264472744, -np.inf)"},
    {"t", "logpdf", "df",
     "special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df) - 0.5 * np.log(df * np.pi) - "
     "0.5 * (df + 1.0) * np.log1p(y * y / df)"},
    {"gamma", "logpdf", "a",
     "np.where(y >= 0.0, special.xlogy(a - 1.0, y) - y - special.gammaln(a), -np.inf)"},
    {"beta", "logpdf", "a, b",
     "np.where((y >= 0.0) & (y <= 1.0), special.xlog1py(b - 1.0, -y) + special.xlogy(a - 1.0, y) - "
     "special.betaln(a, b), -np.inf)"},
    {"lognorm", "logpdf", "s",
     "np.where(y > 0.0, -0.5 * (np.log(y) / s) ** 2 - np.log(s * y) - 0.9189385332046727, "
     "-np.inf)"},
    {"poisson", "logpmf", "mu",
     "np.where(y >= 0, special.xlogy(y, mu) - special.gammaln(y + 1) - mu, -np.inf)", false},
    {"bernoulli", "logpmf", "p",
     "np.where((y >= 0) & (y <= 1), special.xlogy(y, p) + special.xlog1py(1 - y, -p), -np.inf)",
     false},
    {"binom", "logpmf", "n, p",
     "np.where((y >= 0) & (y <= n), special.gammaln(n + 1) - special.gammaln(y + 1) - "
     "special.gammaln(n - y + 1) + special.xlogy(y, p) + special.xlog1py(n - y, -p), -np.inf)",
     false},
    {"nbinom", "logpmf", "n, p",
     "np.where(y >= 0, special.gammaln(n + y) - special.gammaln(n) - special.gammaln(y + 1) + "
     "special.xlogy(n, p) + special.xlog1py(y, -p), -np.inf)",
     false},
    {"expon", "logsf", "", "np.where(y > 0.0, -y, 0.0)"},
    {"expon", "logcdf", "", "np.where(y > 0.0, np.log(-np.expm1(-y)), -np.inf)"},
    {"uniform", "sf", "", "np.clip(1.0 - y, 0.0, 1.0)"},
    {"uniform", "ppf", "", "1.0 * q"},
    {"laplace", "cdf", "", "np.where(y > 0.0, 1.0 - 0.5 * np.exp(-y), 0.5 * np.exp(y))"},
    {"laplace", "sf", "", "np.where(y > 0.0, 0.5 * np.exp(-y), 1.0 - 0.5 * np.exp(y))"},
    {"logistic", "logcdf", "", "special.log_expit(y)"},
    {"logistic", "logsf", "", "special.log_expit(-y)"},
    {"logistic", "ppf", "", "special.logit(q)"},
    {"cauchy", "cdf", "", "0.5 + np.arctan(y) / np.pi"},
    {"cauchy", "sf", "", "0.5 - np.arctan(y) / np.pi"},
    {"cauchy", "ppf", "", "np.tan(np.pi * (q - 0.5))"},
    {"halfnorm", "cdf", "", "np.where(y > 0.0, special.erf(y * 0.7071067811865476), 0.0)"},
    {"halfnorm", "sf", "", "np.where(y > 0.0, special.erfc(y * 0.7071067811865476), 1.0)"},
    {"halfcauchy", "logpdf", "",
     "np.where(y >= 0.0, -0.4515827052894548 - np.log1p(y * y), -np.inf)"},
    {"gumbel_r", "logpdf", "", "-y - np.exp(-y)"},
    {"gumbel_r", "cdf", "", "np.exp(-np.exp(-y))"},
    {"gumbel_r", "sf", "", "-np.expm1(-np.exp(-y))"},
    {"gumbel_r", "logcdf", "", "-np.exp(-y)"},
    {"gumbel_l", "logpdf", "", "y - np.exp(y)"},
    {"gumbel_l", "cdf", "", "-np.expm1(-np.exp(y))"},
    {"gumbel_l", "sf", "", "np.exp(-np.exp(y))"},
    {"gumbel_l", "logsf", "", "-np.exp(y)"},
    {"rayleigh", "logpdf", "", "np.where(y >= 0.0, np.log(y) - 0.5 * y * y, -np.inf)"},
    {"rayleigh", "cdf", "", "np.where(y > 0.0, -np.expm1(-0.5 * y * y), 0.0)"},
    {"rayleigh", "sf", "", "np.where(y > 0.0, np.exp(-0.5 * y * y), 1.0)"},
    {"rayleigh", "logsf", "", "np.where(y > 0.0, -0.5 * y * y, 0.0)"},
    {"maxwell", "logpdf", "",
     "np.where(y >= 0.0, 2.0 * np.log(y) - 0.5 * y * y - 0.22579135264472744, "
     "-np.inf)"},
    {"t", "cdf", "df", "special.stdtr(df, y)"},
    {"t", "sf", "df", "special.stdtr(df, -y)"},
    {"gamma", "cdf", "a", "np.where(y > 0.0, special.gammainc(a, y), 0.0)"},
    {"gamma", "sf", "a", "np.where(y > 0.0, special.gammaincc(a, y), 1.0)"},
    {"gamma", "logcdf", "a", "np.where(y > 0.0, np.log(special.gammainc(a, y)), -np.inf)"},
    {"gamma", "logsf", "a", "np.where(y > 0.0, np.log(special.gammaincc(a, y)), 0.0)"},
    {"invgamma", "logpdf", "a",
     "np.where(y > 0.0, -(a + 1.0) * np.log(y) - special.gammaln(a) - 1.0 / y, "
     "-np.inf)"},
    {"invgamma", "cdf", "a", "np.where(y > 0.0, special.gammaincc(a, 1.0 / y), 0.0)"},
    {"invgamma", "sf", "a", "np.where(y > 0.0, special.gammainc(a, 1.0 / y), 1.0)"},
    {"invgauss", "logpdf", "mu",
     "np.where(y > 0.0, -0.9189385332046727 - 1.5 * np.log(y) - ((y - mu) / mu) ** "
     "2 / (2.0 * y), -np.inf)"},
    {"chi2", "logpdf", "df",
     "np.where(y >= 0.0, special.xlogy(0.5 * df - 1.0, y) - 0.5 * y - "
     "special.gammaln(0.5 * df) - 0.34657359027997264 * df, -np.inf)"},
    {"chi2", "cdf", "df", "np.where(y > 0.0, special.gammainc(0.5 * df, 0.5 * y), 0.0)"},
    {"chi2", "sf", "df", "np.where(y > 0.0, special.gammaincc(0.5 * df, 0.5 * y), 1.0)"},
    {"f", "logpdf", "dfn, dfd",
     "np.where(y > 0.0, 0.5 * dfd * np.log(dfd) + 0.5 * dfn * np.log(dfn) + "
     "special.xlogy(0.5 * dfn - 1.0, y) - 0.5 * (dfn + dfd) * np.log(dfd + dfn * y) "
     "- special.betaln(0.5 * dfn, 0.5 * dfd), -np.inf)"},
    {"f", "cdf", "dfn, dfd",
     "np.where(y > 0.0, special.betainc(0.5 * dfn, 0.5 * dfd, dfn * y / (dfd + dfn "
     "* y)), 0.0)"},
    {"f", "sf", "dfn, dfd",
     "np.where(y > 0.0, special.betainc(0.5 * dfd, 0.5 * dfn, dfd / (dfd + dfn * "
     "y)), 1.0)"},
    {"beta", "cdf", "a, b", "special.betainc(a, b, np.clip(y, 0.0, 1.0))"},
    {"beta", "sf", "a, b", "special.betainc(b, a, 1.0 - np.clip(y, 0.0, 1.0))"},
    {"lognorm", "cdf", "s", "np.where(y > 0.0, special.ndtr(np.log(y) / s), 0.0)"},
    {"lognorm", "sf", "s", "np.where(y > 0.0, special.ndtr(-np.log(y) / s), 1.0)"},
    {"lognorm", "logcdf", "s", "np.where(y > 0.0, special.log_ndtr(np.log(y) / s), -np.inf)"},
    {"lognorm", "logsf", "s", "np.where(y > 0.0, special.log_ndtr(-np.log(y) / s), 0.0)"},
    {"lognorm", "ppf", "s", "np.exp(s * special.ndtri(q))"},
    {"weibull_min", "logpdf", "c",
     "np.where(y >= 0.0, np.log(c) + special.xlogy(c - 1.0, y) - y**c, -np.inf)"},
    {"weibull_min", "cdf", "c", "np.where(y > 0.0, -np.expm1(-(y**c)), 0.0)"},
    {"weibull_min", "sf", "c", "np.where(y > 0.0, np.exp(-(y**c)), 1.0)"},
    {"weibull_min", "logsf", "c", "np.where(y > 0.0, -(y**c), 0.0)"},
    {"weibull_min", "ppf", "c", "(-np.log1p(-q)) ** (1.0 / c)"},
    {"pareto", "logpdf", "b", "np.where(y >= 1.0, np.log(b) - (b + 1.0) * np.log(y), -np.inf)"},
    {"pareto", "cdf", "b", "np.where(y > 1.0, -np.expm1(-b * np.log(y)), 0.0)"},
    {"pareto", "sf", "b", "np.where(y > 1.0, np.exp(-b * np.log(y)), 1.0)"},
    {"vonmises", "logpdf", "kappa",
     "kappa * (np.cos(y) - 1.0) - 1.8378770664093453 - np.log(special.i0e(kappa))"},
    {"truncnorm", "logpdf", "a, b",
     "np.where((y >= a) & (y <= b), -0.5 * y * y - 0.9189385332046727 - "
     "np.log(np.where(a > 0.0, special.ndtr(-a) - special.ndtr(-b), special.ndtr(b) "
     "- special.ndtr(a))), -np.inf)"},
    {"skewnorm", "logpdf", "a", "-0.5 * y * y - 0.22579135264472744 + special.log_ndtr(a * y)"},
    {"poisson", "cdf", "mu", "np.where(y >= 0, special.gammaincc(np.floor(y) + 1.0, mu), 0.0)",
     false},
    {"poisson", "sf", "mu", "np.where(y >= 0, special.gammainc(np.floor(y) + 1.0, mu), 1.0)",
     false},
    {"poisson", "logcdf", "mu",
     "np.where(y >= 0, np.log(special.gammaincc(np.floor(y) + 1.0, mu)), -np.inf)", false},
    {"binom", "cdf", "n, p",
     "np.where(y < 0, 0.0, np.where(y >= n, 1.0, special.betainc(np.maximum(n - "
     "np.floor(y), 1.0), np.floor(y) + 1.0, 1.0 - p)))",
     false},
    {"binom", "sf", "n, p",
     "np.where(y < 0, 1.0, np.where(y >= n, 0.0, special.betainc(np.floor(y) + 1.0, "
     "np.maximum(n - np.floor(y), 1.0), p)))",
     false},
    {"nbinom", "cdf", "n, p", "np.where(y >= 0, special.betainc(n, np.floor(y) + 1.0, p), 0.0)",
     false},
    {"geom", "logpmf", "p", "np.where(y >= 1, special.xlog1py(y - 1, -p) + np.log(p), -np.inf)",
     false},
    {"geom", "cdf", "p", "np.where(y >= 1, -np.expm1(np.floor(y) * np.log1p(-p)), 0.0)", false},
    {"geom", "sf", "p", "np.where(y >= 1, np.exp(np.floor(y) * np.log1p(-p)), 1.0)", false},
});

constexpr std::string_view kMultivariateNormal = R"((x, mean, cov):
    import numpy as np
    factor = np.linalg.cholesky(cov)
    z = np.linalg.solve(factor, (x - mean).T)
    size = 0.9189385332046727 * len(cov) + np.sum(np.log(np.diag(factor)))
    return )";
constexpr std::string_view kLogarithm = "-0.5 * np.sum(z * z, axis=0) - size";

const Formula* find_formula(std::string_view distribution, std::string_view method) {
  const auto found = std::ranges::find_if(kFormulas, [&](const Formula& each) {
    return each.distribution == distribution && each.method == method;
  });
  return found != kFormulas.end() ? &*found : nullptr;
}

}  // namespace

// norm(m, s).logpdf(x) is norm.logpdf(x, m, s); null if the receiver is no distribution.
const Expr* Lowering::frozen_distribution(const Call& it, const Attribute& method,
                                          Destination destination) {
  const auto* frozen = as<Call>(method.value);
  const std::optional<Thing> thing = frozen != nullptr ? thing_of(frozen->function) : std::nullopt;
  if (!thing || thing->kind != ThingKind::Module ||
      !thing->qualified_name.text().starts_with("scipy.stats.") || it.arguments.size() != 1)
    return nullptr;
  std::vector<const Expr*> arguments{it.arguments[0]};
  arguments.insert(arguments.end(), frozen->arguments.begin(), frozen->arguments.end());
  std::vector<const Keyword*> keywords(frozen->keywords.begin(), frozen->keywords.end());
  keywords.insert(keywords.end(), it.keywords.begin(), it.keywords.end());
  const Expr* path = context_.make<Attribute>(method.ranges, frozen->function, method.attribute);
  return call(*context_.make<Call>(it.ranges, path, Symbol(), Exprs(context_.list(arguments)),
                                   List<const Keyword*>(context_.list(keywords))),
              destination);
}

const Expr* Lowering::distribution(const Call& it, std::string_view name, Destination destination) {
  constexpr std::string_view kPackage = "scipy.stats.";
  if (!name.starts_with(kPackage)) return nullptr;
  name.remove_prefix(kPackage.size());
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view of = name.substr(0, dot);
  const std::string_view method = name.substr(dot + 1);
  if (std::ranges::any_of(it.arguments, [](const Expr* e) { return is<Starred>(e); }) ||
      std::ranges::any_of(it.keywords, [](const Keyword* k) { return k->name.empty(); }))
    return nullptr;
  if (of == "multivariate_normal") {
    const bool is_logarithm = method == "logpdf";
    if (it.arguments.size() + it.keywords.size() != 3 || (!is_logarithm && method != "pdf"))
      return nullptr;
    std::string text = "\ndef " + std::string(method) + std::string(kMultivariateNormal);
    text += is_logarithm ? std::string(kLogarithm) : "np.exp(" + std::string(kLogarithm) + ")";
    return inline_call(it, written_in_python(text + "\n"), destination);
  }
  // A density is the exponential of its logarithm, which is more exact and as short.
  const bool density = method == "pdf" || method == "pmf";
  const Formula* formula = find_formula(of, density ? "log" + std::string(method) : method);
  if (formula == nullptr) return nullptr;
  const bool log = density || method.starts_with("logp");
  const bool inverse = method == "ppf";
  const std::string point = inverse ? "q" : formula->scaled ? "x" : "k";
  std::size_t shapes = 0;
  if (!formula->parameters.empty())
    shapes = 1 + static_cast<std::size_t>(std::ranges::count(formula->parameters, ','));
  const auto given = [&](std::string_view parameter, std::size_t position) {
    return it.arguments.size() > position ||
           std::ranges::any_of(it.keywords, [&](const Keyword* keyword) {
             return keyword->name.text() == parameter;
           });
  };
  const bool has_scale = formula->scaled && given("scale", shapes + 2);
  const bool has_location = has_scale || given("loc", shapes + 1);
  std::string text = "\ndef " + std::string(method) + "(" + point;
  if (shapes > 0) text += ", " + std::string(formula->parameters);
  if (has_location) text += ", loc=0.0";
  if (has_scale) text += ", scale=1.0";
  text += "):\n    import numpy as np\n    import scipy.special as special\n";
  if (has_scale && !log)
    text +=
        "    if not np.all(scale > 0.0):\n"
        "        raise ValueError('the scale of a distribution is not positive')\n";
  std::string value(formula->value);
  if (inverse) {
    if (has_scale) value = "scale * " + value;
    if (has_location) value = "loc + " + value;
  } else {
    const std::string y = has_scale      ? "(" + point + " - loc) / scale"
                          : has_location ? point + " - loc"
                                         : point;
    text += "    y = " + y + "\n";
    if (has_scale && log) value += " - np.log(scale)";
    if (density) value = "np.exp(" + value + ")";
  }
  text += "    return " + value + "\n";
  return inline_call(it, written_in_python(text), destination);
}

}  // namespace tangent::lowering
