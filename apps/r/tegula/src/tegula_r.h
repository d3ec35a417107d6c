/* Commands of tegula as functions; apps/r/src/c.rs in the sources of tegula has them. */
#ifndef TEGULA_R_H
#define TEGULA_R_H

#include <stddef.h>

typedef struct tegula_call tegula_call;

tegula_call *tegula_call_new(void);
void tegula_call_free(tegula_call *call);
void tegula_call_word(tegula_call *call, const char *word);
void tegula_call_table(tegula_call *call, const char *name);
void tegula_call_numbers(tegula_call *call, const char *name, const double *values, size_t count);
void tegula_call_texts(tegula_call *call, const char *name, const char *const *values, size_t count);
void tegula_call_matrix(tegula_call *call, const char *name, const double *entries, size_t rows, size_t columns,
                        const char *const *row_names, const char *const *column_names);
int tegula_call_model(tegula_call *call, const char *name, const char *json);
void tegula_call_start(tegula_call *call);
int tegula_call_wait(tegula_call *call, int milliseconds);
void tegula_call_stop(tegula_call *call);
const char *tegula_call_progress(tegula_call *call);
const char *tegula_call_failure(tegula_call *call);
const char *tegula_call_text(tegula_call *call);
const char *tegula_call_list(tegula_call *call, size_t index, const double **values, size_t *count);
const char *tegula_call_text_list(tegula_call *call, size_t index, size_t *count);
const char *tegula_call_text_of(tegula_call *call, size_t list, size_t index);
int tegula_covariance_at(const char *name, const double *parameters, size_t parameter_count, double *distances,
                         size_t count);

#endif
