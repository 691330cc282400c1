# The vector kernels (src/num/*_simd.c), once for each instruction set; which one
# runs is decided at run time (src/num/kernels.c). Another set is a call here and
# a row there.
set(BNRE_KERNEL_OBJECTS)
file(GLOB BNRE_SIMD_SOURCES CONFIGURE_DEPENDS src/num/*_simd.c)

function(add_kernel_set name lanes)
    add_library(kernels_${name} OBJECT ${BNRE_SIMD_SOURCES})
    target_include_directories(kernels_${name} PRIVATE src include)
    target_compile_definitions(kernels_${name} PRIVATE
        BNRE_SET=${name} BNRE_LANES=${lanes})
    # Contraction is wanted here: a product's sums are fused multiply-adds.
    target_compile_options(kernels_${name} PRIVATE ${BNRE_KERNEL_LEVEL}
                           -ffp-contract=fast ${ARGN})
    set(BNRE_KERNEL_OBJECTS ${BNRE_KERNEL_OBJECTS}
        $<TARGET_OBJECTS:kernels_${name}> PARENT_SCOPE)
endfunction()

add_kernel_set(portable 4)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_kernel_set(avx2 8 -mavx2 -mfma)
    add_kernel_set(avx512 16 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma
                   -mprefer-vector-width=512)
    target_compile_definitions(bnre_objects PUBLIC BNRE_HAVE_X86)
endif()
