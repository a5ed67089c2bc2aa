#pragma once
#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace gable::gpu {

/// A library that is looked for when the program runs. Once opened it stays open.
class LoadedLibrary {
 public:
  /// The first of these names that the loader finds; messages call it by the first of all.
  LoadedLibrary(std::initializer_list<const char*> names) : name_(*names.begin()) {
    for (const char* name : names) {
      handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) {
        missing_.clear();
        return;
      }
      const char* words = dlerror();
      if (missing_.empty()) missing_ = words;
    }
  }
  /// Empty, or the loader's words why it is not there, or the first function that was needed and is not in it.
  const std::string& missing() const { return missing_; }

  /// Sets the pointer to the function of that name, or to null. False if the library has none.
  template <class Function>
  bool find(Function*& function, const char* name) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
    return function != nullptr;
  }
  /// The same; missing() names the function if the library has none.
  template <class Function>
  void need(Function*& function, const char* name) {
    if (!find(function, name) && missing_.empty()) missing_ = name_ + " has no " + name;
  }

 private:
  std::string name_;
  void* handle_{};
  std::string missing_;
};

/// Whether a function of a loaded library, which returns 0 for success, is there and answered.
template <class... Parameters, class... Arguments>
bool tells(int (*function)(Parameters...), Arguments... arguments) {
  return function != nullptr && function(arguments...) == 0;
}

}  // namespace gable::gpu
