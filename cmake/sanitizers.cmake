# What looks on finds the same at -O1, which compiles in a third of the time (the
# vector kernels in a fifth), and lines of functions (-g1) are all that its reports show.
# Fuzzing spends its time running: it keeps the usual flags. Vector kernels are left out there,
# since clang 14 takes minutes of processor time for one of them; make asan has them.
set(BNRE_SANITIZE "" CACHE STRING "sanitizers, such as address,undefined")
if(BNRE_SANITIZE)
    add_compile_options(-fsanitize=${BNRE_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${BNRE_SANITIZE})
endif()
if(BNRE_SANITIZE AND NOT BNRE_FUZZ)
    set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1")
    # What the optimiser guesses about ranges is told by the usual build.
    add_compile_options(-Wno-format-truncation -Wno-maybe-uninitialized)
else()
    set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
endif()
set(BNRE_KERNEL_LEVEL -O3)
if(BNRE_FUZZ)
    set(BNRE_KERNEL_LEVEL -O1 -fno-sanitize=all)
elseif(BNRE_SANITIZE)
    set(BNRE_KERNEL_LEVEL -O1)
endif()
