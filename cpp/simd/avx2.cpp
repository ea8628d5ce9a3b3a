// SPDX-License-Identifier: MIT
// AVX2 versions: compiled for these functions only, called only if the CPU supports AVX2.
#if defined(__x86_64__)

#include <immintrin.h>

#include "simd/versions.h"

namespace tengen::simd {

namespace {

[[gnu::target("avx2")]] void nibbles_at_least(const u8* bytes, int rows, int shift, u8 min,
                                              u32* masks) {
  const __m256i limit = _mm256_set1_epi8(static_cast<char>(min));
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m128i count = _mm_cvtsi32_si128(shift);
  for (int row = 0; row < rows; ++row, bytes += 32) {
    const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    const __m256i cells = _mm256_and_si256(_mm256_srl_epi16(both, count), nibble);
    const __m256i reaches = _mm256_cmpeq_epi8(_mm256_max_epu8(cells, limit), cells);
    masks[row] = static_cast<u32>(_mm256_movemask_epi8(reaches));
  }
}

[[gnu::target("avx2")]] void exchange_rows(i16* sums, const i16* const* added, int adds,
                                           const i16* const* removed, int removals) {
  auto* const to = reinterpret_cast<__m256i*>(sums);
  __m256i low = _mm256_loadu_si256(to), high = _mm256_loadu_si256(to + 1);
  for (int i = 0; i < adds; ++i) {
    const auto* const row = reinterpret_cast<const __m256i*>(added[i]);
    low = _mm256_add_epi16(low, row[0]);
    high = _mm256_add_epi16(high, row[1]);
  }
  for (int i = 0; i < removals; ++i) {
    const auto* const row = reinterpret_cast<const __m256i*>(removed[i]);
    low = _mm256_sub_epi16(low, row[0]);
    high = _mm256_sub_epi16(high, row[1]);
  }
  _mm256_storeu_si256(to, low);
  _mm256_storeu_si256(to + 1, high);
}

}  // namespace

[[gnu::target("avx2")]] i64 small_net_avx2(const SmallNet& net, const i16* inputs, int shift) {
  const auto* const weights = reinterpret_cast<const __m256i*>(net.first.data());
  const auto* const bias = reinterpret_cast<const __m256i*>(net.first_bias.data());
  const auto* const second = reinterpret_cast<const __m256i*>(net.second.data());
  __m256i low = bias[0], high = bias[1];
  for (int pair = 0; pair < SmallNet::IN / 2; ++pair) {
    int two;
    __builtin_memcpy(&two, inputs + 2 * pair, sizeof two);
    const __m256i both = _mm256_set1_epi32(two);
    low = _mm256_add_epi32(low, _mm256_madd_epi16(both, weights[2 * pair]));
    high = _mm256_add_epi32(high, _mm256_madd_epi16(both, weights[2 * pair + 1]));
  }
  const __m128i count = _mm_cvtsi32_si128(shift);
  const __m256i zero = _mm256_setzero_si256();
  low = _mm256_sra_epi32(_mm256_max_epi32(low, zero), count);
  high = _mm256_sra_epi32(_mm256_max_epi32(high, zero), count);
  // _mm256_mul_epi32 multiplies the even lanes: the odd ones are shifted down first.
  const __m256i even =
      _mm256_add_epi64(_mm256_mul_epi32(low, second[0]), _mm256_mul_epi32(high, second[1]));
  const __m256i odd = _mm256_add_epi64(
      _mm256_mul_epi32(_mm256_srli_epi64(low, 32), _mm256_srli_epi64(second[0], 32)),
      _mm256_mul_epi32(_mm256_srli_epi64(high, 32), _mm256_srli_epi64(second[1], 32)));
  const __m256i four = _mm256_add_epi64(even, odd);
  const __m128i sum =
      _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  return _mm_cvtsi128_si64(sum) + _mm_extract_epi64(sum, 1);
}

const Ops AVX2 = {"avx2", nibbles_at_least, exchange_rows, small_net_avx2};

}  // namespace tengen::simd

#endif
