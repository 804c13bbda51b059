#include "tensor/text.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

namespace suanzi {
namespace {

constexpr int64_t block_cost = 1024;
// The limits of the size of a new block, in bytes. A block for a longer string is as long as the string. Other new
// blocks leave room for further strings.
constexpr int64_t least_block = 64, largest_block = int64_t{1} << 20;

bool lies_before(const StoragePtr& a, const StoragePtr& b) { return std::less<>()(a.get(), b.get()); }
int64_t cost(const StoragePtr& block) { return static_cast<int64_t>(block->bytes()) + block_cost; }

// A storage of strings always owns its bytes, so the storage's `owner()`, if not null, is the store.
TextStore* store_of(const Tensor& x) { return static_cast<TextStore*>(x.storage->owner()); }

TextStore& store_for(const Tensor& x) {
  if (!store_of(x)) {
    x.storage->set_owner(std::make_unique<TextStore>().release(),
                         [](void* store) { const std::unique_ptr<TextStore> owned(static_cast<TextStore*>(store)); });
  }
  return *store_of(x);
}

std::span<Text> all_elements(const Storage& storage) {
  return {reinterpret_cast<Text*>(storage.data()), storage.bytes() / sizeof(Text)};
}

int64_t total_length(std::span<const Text> elements) {
  // The sum stops at this number, because many elements may refer to one string, so that a sum of all lengths could
  // overflow.
  constexpr int64_t plenty = int64_t{1} << 60;
  int64_t total = 0;
  for (const Text& text : elements) total = std::min(total + std::min(text.length, plenty), plenty);
  return total;
}

}  // namespace

void TextStore::hold(StoragePtr block) {
  held_ += cost(block);
  const auto place = std::lower_bound(blocks_.begin(), blocks_.end(), block, lies_before);
  blocks_.insert(place, std::move(block));
}

Text TextStore::append(std::string_view bytes) {
  if (bytes.empty()) return {};
  const auto length = static_cast<int64_t>(bytes.size());
  if (end_ - free_ < length) {
    const int64_t size = std::max(length, std::clamp(held_ / 2, least_block, largest_block));
    const StoragePtr block = StoragePtr::allocate(static_cast<size_t>(size));
    hold(block);
    free_ = reinterpret_cast<char*>(block->data());
    end_ = free_ + size;
  }
  const Text text{free_, length};
  std::memcpy(free_, bytes.data(), bytes.size());
  free_ += length;
  return text;
}

void TextStore::share(const TextStore& other) {
  std::vector<StoragePtr> missing;
  std::ranges::copy_if(other.blocks_, std::back_inserter(missing), [&](const StoragePtr& block) {
    return !std::binary_search(blocks_.begin(), blocks_.end(), block, lies_before);
  });
  const auto own = static_cast<std::ptrdiff_t>(blocks_.size());
  blocks_.insert(blocks_.end(), missing.begin(), missing.end());
  std::inplace_merge(blocks_.begin(), blocks_.begin() + own, blocks_.end(), lies_before);
  for (const StoragePtr& block : missing) held_ += cost(block);
}

void TextStore::compact(std::span<Text> elements) {
  const int64_t referred = total_length(elements);
  allowance_ = 4 * referred + static_cast<int64_t>(elements.size_bytes()) + least_allowance;
  if (2 * held_ <= allowance_) return;
  TextStore fresh;
  try {
    if (referred > 0) fresh.hold(StoragePtr::allocate(static_cast<size_t>(referred)));
  } catch (const std::exception&) {
    allowance_ = 2 * held_;
    return;
  }
  char* next = referred > 0 ? reinterpret_cast<char*>(fresh.blocks_.front()->data()) : nullptr;
  for (Text& text : elements) {
    if (text.length == 0) continue;
    std::memcpy(next, text.data, static_cast<size_t>(text.length));
    text.data = next;
    next += text.length;
  }
  fresh.allowance_ = allowance_;
  *this = std::move(fresh);
}

void keep_text(const Tensor& target, const Tensor& source) {
  if (target.storage.get() == source.storage.get() || !store_of(source)) return;
  try {
    store_for(target).share(*store_of(source));
  } catch (...) {
    // No element may refer to a block that may be freed.
    std::ranges::fill(all_elements(*target.storage.get()), Text{});
    throw;
  }
}

Text adopt(const Tensor& target, std::string_view bytes) { return store_for(target).append(bytes); }

void settle(const Tensor& x) noexcept {
  TextStore* store = store_of(x);
  if (store && store->is_crowded()) store->compact(all_elements(*x.storage.get()));
}

}  // namespace suanzi
