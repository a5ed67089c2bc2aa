#include <cmath>
#include <cstring>
#include <stdexcept>

#include "tests/unit/tile/emulated_block.hpp"

namespace gable::device::tile::test {
namespace {

/// Shared memory does not begin with scratch, but at a multiple of 1024 bytes before it.
constexpr std::uint32_t scratch_address = 3 * 1024;

/// A wgmma operand of `rows` (columns of B) by one step of depth, as its descriptor says: "Matrix Descriptor Format",
/// and for the swizzle of 128 bytes the canonical layouts of "Strides": K-major ((8,m),(T,2k)):((8T,SBO),(1,T)),
/// MN-major ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO)), T elements in 16 bytes; bits 4-6 of an address are those xor bits
/// 7-9.
std::vector<double> operand(std::uint64_t descriptor, bool across, int rows, const EmulatedWgmma::Elements& elements,
                            std::vector<bool>& reads) {
  reads.resize(block->scratch().size() / 16);
  const auto bits = [descriptor](int first, int count) {
    return static_cast<std::size_t>(descriptor >> first & ((std::uint64_t{1} << count) - 1));
  };
  if (bits(62, 2) != 1) throw std::logic_error("a descriptor without a swizzle of 128 bytes");
  if (bits(49, 3) != 0 || bits(14, 2) != 0 || bits(30, 2) != 0 || bits(46, 3) != 0 || bits(52, 10) != 0) {
    throw std::logic_error("a descriptor with bits that must be 0");
  }
  const std::size_t start = bits(0, 14) * 16, leading = bits(16, 14) * 16, stride = bits(32, 14) * 16;
  const std::size_t depth = 32 / elements.bytes, in_16 = 16 / elements.bytes;
  if (across && elements.bytes != 2) throw std::logic_error("one-byte operands are read along the depth only");
  std::vector<double> values;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    for (std::size_t k = 0; k < depth; ++k) {
      const std::size_t linear =
          across ? row / (8 * in_16) * leading + row % (8 * in_16) * elements.bytes + k / 8 * stride + k % 8 * 128
                 : row / 8 * stride + row % 8 * 128 + k * elements.bytes;
      const std::size_t before = start + linear, at = before ^ (before >> 7 & 7) << 4;
      if (at < scratch_address || at - scratch_address + elements.bytes > block->scratch().size()) {
        throw std::logic_error("a descriptor leads outside of scratch");
      }
      values.push_back(elements.value(block->scratch().data() + (at - scratch_address)));
      reads[(at - scratch_address) / 16] = true;
    }
  }
  return values;
}

/// D of m64nNk16 and m64nNk32: element i of a thread is in row 16 warp + lane / 4 + 8 (i / 2 % 2) and column
/// 8 (i / 4) + 2 (lane % 4) + i % 2 ("Register Fragments", accumulator D).
void add_product(const Product& product) {
  const std::size_t depth = 32 / product.elements.bytes;
  const auto count = static_cast<std::size_t>(product.sums->of[0].count());
  for (std::size_t thread = 0; thread < group_lanes; ++thread) {
    const std::size_t lane = thread % 32;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = 16 * (thread / 32) + lane / 4 + 8 * (i / 2 % 2),
                        column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      double& sum = product.sums->values[count * thread + i];
      if (!product.add) sum = 0;
      for (std::size_t k = 0; k < depth; ++k) sum += product.a[depth * row + k] * product.b[depth * column + k];
    }
  }
}

/// Where element i of the instruction lies in [slot][pack][2].
int place_of(int i, int packs) { return 2 * packs * (i / 2 % 2) + 2 * (i / 4) + i % 2; }

template <class Function>
void in_group(const char* instruction, const Words& words, const Function& function) {
  meet_at(block->group(), block->place_in_group(), instruction, words, function);
}
const EmulatedWgmma::Sums& sums_of(const Words& words) {
  return *reinterpret_cast<const EmulatedWgmma::Sums*>(words.word[0]);
}

/// A of m64nNk16 in registers: element i of a thread is in row 16 warp + lane / 4 + 8 (i / 2 % 2) and column
/// 8 (i / 4) + 2 (lane % 4) + i % 2, two in a word ("Register Fragments", matrix A).
std::vector<double> held_operand(const std::vector<Words>& threads, const EmulatedWgmma::Elements& elements) {
  std::vector<double> values(64 * 16);
  for (std::size_t thread = 0; thread < group_lanes; ++thread) {
    const std::size_t lane = thread % 32;
    std::byte bytes[16];
    std::memcpy(bytes, reinterpret_cast<const void*>(threads[thread].word[3]), sizeof bytes);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t row = 16 * (thread / 32) + lane / 4 + 8 * (i / 2 % 2),
                        column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      values[16 * row + column] = elements.value(bytes + 2 * i);
    }
  }
  return values;
}

/// The accumulators of the threads, which are unset while products add to them.
SumsUnderWay& under_way(Group& group, const std::vector<Words>& threads) {
  for (const auto& known : group.sums) {
    if (known->of[0].first == sums_of(threads[0]).first) return *known;
  }
  SumsUnderWay& sums = *group.sums.emplace_back(std::make_unique<SumsUnderWay>());
  for (const Words& words : threads) {
    const auto& of = sums.of.emplace_back(sums_of(words));
    for (int i = 0; i < of.count(); ++i) {
      sums.values.push_back(of.get(of.first, place_of(i, of.packs)));
      of.set(of.first, place_of(i, of.packs), of.unset);
    }
  }
  return sums;
}

/// Gives accumulators back that no product adds to any more.
void settle(Group& group) {
  std::erase_if(group.sums, [](const auto& sums) {
    if (sums->products != 0) return false;
    auto value = sums->values.begin();
    for (const auto& of : sums->of) {
      for (int i = 0; i < of.count(); ++i) of.set(of.first, place_of(i, of.packs), *value++);
    }
    return true;
  });
}

}  // namespace

std::uint32_t EmulatedWgmma::address(const void* scratch) {
  check_scratch(scratch, 1);
  if (reinterpret_cast<std::uintptr_t>(block->scratch().data()) % 1024 != 0)
    throw std::logic_error("scratch is not aligned");
  return scratch_address + static_cast<std::uint32_t>(static_cast<const std::byte*>(scratch) - block->scratch().data());
}

void EmulatedWgmma::come_to(int barrier, int threads, bool waits) {
  long& arrived = block->arrived_at(barrier);
  const long round = arrived++ / threads;
  while (waits && arrived / threads == round) block->yield();
}

void EmulatedWgmma::begin_products() {
  in_group("wgmma.fence", {}, [](auto&, auto&) { block->group().begun = true; });
}

void EmulatedWgmma::begin_product(const Elements& elements, std::uint64_t left, const std::uint32_t* left_words,
                                  std::uint64_t right, bool add, const Sums& sums) {
  Words given;
  given.word = {reinterpret_cast<std::uintptr_t>(&sums), left, right, reinterpret_cast<std::uintptr_t>(left_words)};
  in_group("wgmma.mma_async", given, [&](const std::vector<Words>& threads, auto&) {
    Group& group = block->group();
    if (!group.begun) throw std::logic_error("a product without a fence before it");
    for (const Words& words : threads) {
      if (words.word[1] != left || words.word[2] != right) throw std::logic_error("descriptors of threads differ");
    }
    Product product{elements, left, right, left_words != nullptr, add, &under_way(group, threads), {}, {}, {}};
    product.a = product.left_held ? held_operand(threads, elements)
                                  : operand(left, elements.left_across, 64, elements, product.reads);
    product.b = operand(right, elements.right_across, 8 * sums.packs, elements, product.reads);
    ++product.sums->products;
    group.open.push_back(std::move(product));
  });
}

void EmulatedWgmma::commit_products() {
  in_group("wgmma.commit_group", {}, [](auto&, auto&) {
    Group& group = block->group();
    group.groups.push_back(std::move(group.open));
    group.open.clear();
  });
}

void EmulatedWgmma::wait_for_products(int groups) {
  in_group("wgmma.wait_group", {}, [groups](const std::vector<Words>&, auto&) {
    Group& group = block->group();
    if (!group.open.empty()) throw std::logic_error("products that no group holds");
    group.begun = false;
    while (static_cast<int>(group.groups.size()) > groups) {
      for (Product& product : group.groups.front()) {
        const Elements& elements = product.elements;
        const bool left_changed =
            !product.left_held && operand(product.left, elements.left_across, 64, elements, product.reads) != product.a;
        if (left_changed || operand(product.right, elements.right_across, 8 * product.sums->of[0].packs, elements,
                                    product.reads) != product.b) {
          throw std::logic_error("operands changed while a product was under way");
        }
        add_product(product);
        --product.sums->products;
      }
      group.groups.pop_front();
    }
    settle(group);
  });
}

}  // namespace gable::device::tile::test
