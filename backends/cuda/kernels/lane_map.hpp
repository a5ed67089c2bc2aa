#pragma once

/// Which elements of a matrix instruction's operands and result a lane holds. Plain data, so that a test compares them
/// with the figures of NVIDIA's documents.
namespace gable::gpu {

/// A lane's words of an mma.sync fragment (PTX ISA, "Matrix Fragments for mma"); a word is 32 bits of packed elements,
/// or a double. They are the same for all shapes with 16 or 8 rows and 8 columns once k is counted in words.
struct LaneMap {
  int group{};     ///< lane / 4
  int in_group{};  ///< lane % 4

  static constexpr LaneMap of(int lane) { return {lane % 32 / 4, lane % 4}; }
  constexpr int a_row(int word) const { return group + 8 * (word % 2); }
  constexpr int a_word(int word) const { return in_group + 4 * (word / 2); }
  constexpr int b_column() const { return group; }
  constexpr int b_word(int word) const { return in_group + 4 * word; }
  constexpr int c_row(int element) const { return group + 8 * (element / 2); }
  constexpr int c_column(int element) const { return 2 * in_group + element % 2; }
};

/// Row and column in D of a block's wgmma.m64n256 of the element that a thread holds (PTX ISA, "Register fragments and
/// shared memory matrix layouts" of wgmma); a warpgroup has 64 rows.
constexpr int wgmma_row(int thread, int element) {
  return 16 * (thread / 32) + thread % 32 / 4 + 8 * (element / 2 % 2);
}
constexpr int wgmma_column(int thread, int element) { return element / 4 * 8 + 2 * (thread % 4) + element % 2; }

}  // namespace gable::gpu
