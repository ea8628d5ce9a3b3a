// SPDX-License-Identifier: MIT
// AVX-512 (F, BW, VL) versions: compiled for these functions only, called only if the CPU supports
// it.
#if defined(__x86_64__)

#include <immintrin.h>

#include "simd/versions.h"

namespace tengen::simd {

namespace {

[[gnu::target("avx512f,avx512bw,avx512vl")]] void nibbles_at_least(const u8* bytes, int rows,
                                                                   int shift, u8 min, u32* masks) {
  const __m256i limit = _mm256_set1_epi8(static_cast<char>(min));
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m128i count = _mm_cvtsi32_si128(shift);
  for (int row = 0; row < rows; ++row, bytes += 32) {
    const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    const __m256i cells = _mm256_and_si256(_mm256_srl_epi16(both, count), nibble);
    masks[row] = _mm256_cmpge_epu8_mask(cells, limit);
  }
}

[[gnu::target("avx512f,avx512bw,avx512vl")]] void exchange_rows(i16* sums, const i16* const* added,
                                                                int adds, const i16* const* removed,
                                                                int removals) {
  __m512i sum = _mm512_loadu_si512(sums);
  for (int i = 0; i < adds; ++i) sum = _mm512_add_epi16(sum, _mm512_load_si512(added[i]));
  for (int i = 0; i < removals; ++i) sum = _mm512_sub_epi16(sum, _mm512_load_si512(removed[i]));
  _mm512_storeu_si512(sums, sum);
}

}  // namespace

const Ops AVX512 = {"avx512", nibbles_at_least, exchange_rows, small_net_avx2};
// VNNI only matters to the net kernels.
const Ops AVX512VNNI = {"avx512vnni", nibbles_at_least, exchange_rows, small_net_avx2};

}  // namespace tengen::simd

#endif
