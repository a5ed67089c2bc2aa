#pragma once
#include <map>
#include <memory>

namespace gable::emulated {

/// The objects that programs know by handles of type Handle, a pointer.
template <class Handle, class Object>
class Handles {
 public:
  Handle add(Object object) {
    auto owned = std::make_unique<Object>(std::move(object));
    const auto handle = reinterpret_cast<Handle>(owned.get());
    objects_[handle] = std::move(owned);
    return handle;
  }
  /// Null if there is none of this handle.
  Object* find(Handle handle) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second.get();
  }
  bool remove(Handle handle) { return objects_.erase(handle) != 0; }

 private:
  std::map<Handle, std::unique_ptr<Object>> objects_;
};

}  // namespace gable::emulated
