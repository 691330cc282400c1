add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla
                    -Wstrict-prototypes -Wmissing-prototypes -Werror)
