/* onnx_graph.c - the protocol buffers of ONNX, as far as they are needed.

   Field numbers are those of onnx.proto3. A message is written into bytes of
   its own first, since its length stands before it. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "export/onnx.h"

/* ---- the wire ---- */

static void put_varint(bnre__bytes *out, uint64_t value)
{
    unsigned char byte;

    for (; value > 127; value >>= 7) {
        byte = (unsigned char)(value & 127) | 128;
        bnre__bytes_put(out, &byte, 1);
    }
    byte = (unsigned char)value;
    bnre__bytes_put(out, &byte, 1);
}

static void put_integer(bnre__bytes *out, unsigned field, int64_t value)
{
    put_varint(out, (uint64_t)field << 3);
    put_varint(out, (uint64_t)value);
}

static void put_blob(bnre__bytes *out, unsigned field, const void *data,
                     size_t n)
{
    put_varint(out, (uint64_t)field << 3 | 2);
    put_varint(out, n);
    bnre__bytes_put(out, data, n);
}

static void put_text(bnre__bytes *out, unsigned field, const char *text)
{
    put_blob(out, field, text, strlen(text));
}

/* A message inside another; it is emptied. */
static void put_message(bnre__bytes *out, unsigned field, bnre__bytes *message)
{
    if (message->status != BNRE_OK)
        out->status = message->status;
    put_blob(out, field, message->data, message->size);
    bnre__free(message->data);
    *message = (bnre__bytes){0};
}

static void put_single(bnre__bytes *out, unsigned field, double value)
{
    const float single = (float)value;
    uint32_t bits;
    unsigned char byte[4];

    memcpy(&bits, &single, sizeof bits);
    for (int i = 0; i < 4; i++)
        byte[i] = (unsigned char)(bits >> (8 * i));
    put_varint(out, (uint64_t)field << 3 | 5);
    bnre__bytes_put(out, byte, sizeof byte);
}

/* ---- nodes ---- */

static const char *name_of(size_t value, char out[32])
{
    if (value == BNRE__ONNX_THETA)
        return "theta";
    if (value == BNRE__ONNX_X)
        return "x";
    if (value == BNRE__ONNX_NONE)
        return "log_ratio";
    snprintf(out, 32, "v%zu", value);
    return out;
}

static void put_attribute(bnre__bytes *node, const bnre__onnx_attribute *a)
{
    enum { FLOAT = 1, INT = 2, INTS = 7 };
    bnre__bytes message = {0};

    put_text(&message, 1, a->name);
    if (a->is_real)
        put_single(&message, 2, a->real);
    else if (a->n == 0)
        put_integer(&message, 3, a->integer[0]);
    for (size_t i = 0; !a->is_real && i < a->n; i++)
        put_integer(&message, 8, a->integer[i]);
    put_integer(&message, 20, a->is_real ? FLOAT : a->n == 0 ? INT : INTS);
    put_message(node, 5, &message);
}

static void put_node(bnre__onnx *graph, const char *op, size_t n,
                     const size_t *in, size_t out, size_t attributes,
                     const bnre__onnx_attribute *attribute)
{
    bnre__bytes node = {0};
    char name[32];

    for (size_t i = 0; i < n; i++)
        put_text(&node, 1, name_of(in[i], name));
    put_text(&node, 2, name_of(out, name));
    put_text(&node, 4, op);
    for (size_t i = 0; i < attributes; i++)
        put_attribute(&node, &attribute[i]);
    put_message(&graph->node, 1, &node);
}

size_t bnre__onnx_node(bnre__onnx *graph, const char *op, size_t n,
                       const size_t *in, size_t attributes,
                       const bnre__onnx_attribute *attribute)
{
    put_node(graph, op, n, in, graph->next, attributes, attribute);
    return graph->next++;
}

size_t bnre__onnx_op1(bnre__onnx *graph, const char *op, size_t a)
{
    return bnre__onnx_node(graph, op, 1, &a, 0, NULL);
}

size_t bnre__onnx_op2(bnre__onnx *graph, const char *op, size_t a, size_t b)
{
    const size_t in[] = {a, b};

    return bnre__onnx_node(graph, op, 2, in, 0, NULL);
}

size_t bnre__onnx_where(bnre__onnx *graph, size_t when, size_t yes, size_t no)
{
    const size_t in[] = {when, yes, no};

    return bnre__onnx_node(graph, "Where", 3, in, 0, NULL);
}

size_t bnre__onnx_cast(bnre__onnx *graph, size_t value, bnre__onnx_type to)
{
    const bnre__onnx_attribute type = {.name = "to", .integer = {to}};

    return bnre__onnx_node(graph, "Cast", 1, &value, 1, &type);
}

size_t bnre__onnx_concat(bnre__onnx *graph, size_t n, const size_t *in)
{
    const bnre__onnx_attribute axis = {.name = "axis", .integer = {1}};

    return n == 1 ? in[0] : bnre__onnx_node(graph, "Concat", n, in, 1, &axis);
}

size_t bnre__onnx_reshape(bnre__onnx *graph, size_t value, size_t ndim,
                          const size_t *dim)
{
    int64_t to[1 + BNRE__MAX_SHAPE];
    const size_t n = 1 + ndim;

    to[0] = (int64_t)graph->rows;
    for (size_t i = 0; i < ndim; i++)
        to[1 + i] = (int64_t)dim[i];
    return bnre__onnx_op2(graph, "Reshape", value,
                          bnre__onnx_constant(graph, BNRE__ONNX_INT64, 1, &n,
                                              to, n * sizeof *to));
}

/* ---- constants ---- */

/* raw_data is little-endian: as in memory on all machines we build for. */
size_t bnre__onnx_constant(bnre__onnx *graph, bnre__onnx_type type, size_t ndim,
                           const size_t *dim, const void *data, size_t bytes)
{
    bnre__bytes tensor = {0};
    char name[32];

    for (size_t i = 0; i < ndim; i++)
        put_integer(&tensor, 1, (int64_t)dim[i]);
    put_integer(&tensor, 2, type);
    put_text(&tensor, 8, name_of(graph->next, name));
    put_blob(&tensor, 9, data, bytes);
    put_message(&graph->initializer, 5, &tensor);
    return graph->next++;
}

size_t bnre__onnx_real(bnre__onnx *graph, double value)
{
    return bnre__onnx_constant(graph, BNRE__ONNX_DOUBLE, 0, NULL, &value,
                               sizeof value);
}

/* ---- the file ---- */

static void put_value_info(bnre__bytes *graph, unsigned field, const char *name,
                           size_t ndim, const size_t *dim)
{
    bnre__bytes info = {0}, type = {0}, tensor = {0}, shape = {0}, one = {0};

    for (size_t i = 0; i < ndim; i++) {
        put_integer(&one, 1, (int64_t)dim[i]);
        put_message(&shape, 1, &one);
    }
    put_integer(&tensor, 1, BNRE__ONNX_DOUBLE);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&info, 1, name);
    put_message(&info, 2, &type);
    put_message(graph, field, &info);
}

static void put_graph(bnre__bytes *model, bnre__onnx *graph,
                      const bnre_estimator *est)
{
    const bnre_estimator_info *info = &est->info;
    const size_t theta[] = {graph->rows, info->dim_theta};
    size_t x[1 + BNRE_MAX_NDIM];
    bnre__bytes out = {0};

    x[0] = graph->rows;
    memcpy(x + 1, info->shape, info->ndim * sizeof *x);
    bnre__bytes_put(&out, graph->node.data, graph->node.size);
    put_text(&out, 2, "log_ratio");
    bnre__bytes_put(&out, graph->initializer.data, graph->initializer.size);
    put_value_info(&out, 11, "theta", 2, theta);
    put_value_info(&out, 11, "x", 1 + info->ndim, x);
    put_value_info(&out, 12, "log_ratio", 1, &graph->rows);
    put_message(model, 7, &out);
}

bnre_status bnre__onnx_finish(bnre__onnx *graph, const bnre_estimator *est,
                              size_t result, bnre__bytes *out)
{
    bnre_status status = BNRE_OK;
    bnre__text about = {0};
    bnre__bytes part = {0};

    put_node(graph, "Identity", 1, &result, BNRE__ONNX_NONE, 0, NULL);
    BNRE_TRY(graph->node.status);
    BNRE_TRY(graph->initializer.status);
    BNRE_TRY(bnre__export_about(est, &about));
    put_integer(out, 1, 8); /* version of the format, that of opset 17 */
    put_text(out, 2, "bnre");
    put_text(out, 3, BNRE_VERSION);
    put_text(out, 6, about.data);
    put_graph(out, graph, est);
    put_text(&part, 1, "");
    put_integer(&part, 2, BNRE__ONNX_OPSET);
    put_message(out, 8, &part);
    status = out->status;
done:
    bnre__free(about.data);
    return status;
}
