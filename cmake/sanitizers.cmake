set(BNRE_SANITIZE "" CACHE STRING "sanitizers, such as address,undefined")
if(BNRE_SANITIZE)
    add_compile_options(-fsanitize=${BNRE_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${BNRE_SANITIZE})
endif()
