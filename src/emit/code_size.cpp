// One walk over the characters; see code_size.h.
#include "emit/code_size.h"

#include <cctype>

namespace tangent {

std::size_t code_size(std::string_view text) {
  const auto is_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
  };
  std::size_t size = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '#') {
      while (k + 1 < text.size() && text[k + 1] != '\n') ++k;
    } else if (is_word(text[k])) {
      // Dots count with what is around them: `np.exp` is three.
      while (k + 1 < text.size() && is_word(text[k + 1])) size += text[++k] == '.' ? 2 : 0;
      ++size;
    } else if (std::isspace(static_cast<unsigned char>(text[k])) == 0) {
      ++size;
    }
  }
  return size;
}

}  // namespace tangent
