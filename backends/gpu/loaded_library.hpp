#pragma once
#include <dlfcn.h>

#include <string>

namespace gable::gpu {

/// A library that is looked for when the program runs. Once opened it stays open.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) missing_ = dlerror();
  }
  /// Empty, or the loader's words why it is not there.
  const std::string& missing() const { return missing_; }

  /// Sets the pointer to the function of that name, or to null. False if the library has none.
  template <class Function>
  bool find(Function*& function, const char* name) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_;
  std::string missing_;
};

/// Whether a function of a loaded library, which returns 0 for success, is there and answered.
template <class... Parameters, class... Arguments>
bool tells(int (*function)(Parameters...), Arguments... arguments) {
  return function != nullptr && function(arguments...) == 0;
}

}  // namespace gable::gpu
