/* What R calls: a command runs on a thread of its own, while R looks whether the user wants it to end. */
#include <string.h>

#include <R.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>
#include <Rinternals.h>

#include "tegula_r.h"

#define LOOK_MS 50

static void look(void *unused) { R_CheckUserInterrupt(); }

static int is_interrupted(void) { return !R_ToplevelExec(look, NULL); }

/* A call that R's collector frees, whatever happens. */
static void end(SEXP handle)
{
    tegula_call *call = R_ExternalPtrAddr(handle);
    if (call) {
        R_ClearExternalPtr(handle);
        tegula_call_free(call);
    }
}

static const char *utf8(SEXP texts, R_xlen_t i)
{
    SEXP one = STRING_ELT(texts, i);
    return one == NA_STRING ? "" : translateCharUTF8(one);
}

/* The texts of a vector, in memory that R frees. */
static const char *const *all_utf8(SEXP texts)
{
    if (TYPEOF(texts) != STRSXP) return NULL;
    R_xlen_t n = XLENGTH(texts);
    const char **all = (const char **)R_alloc(n ? n : 1, sizeof *all);
    for (R_xlen_t i = 0; i < n; i++) all[i] = utf8(texts, i);
    return all;
}

static void lend_tables(tegula_call *call, SEXP tables)
{
    SEXP names = getAttrib(tables, R_NamesSymbol);
    for (R_xlen_t t = 0; t < XLENGTH(tables); t++) {
        SEXP table = VECTOR_ELT(tables, t), columns = getAttrib(table, R_NamesSymbol);
        tegula_call_table(call, utf8(names, t));
        for (R_xlen_t c = 0; c < XLENGTH(table); c++) {
            SEXP cells = VECTOR_ELT(table, c);
            if (TYPEOF(cells) == REALSXP)
                tegula_call_numbers(call, utf8(columns, c), REAL(cells), XLENGTH(cells));
            else
                tegula_call_texts(call, utf8(columns, c), all_utf8(cells), XLENGTH(cells));
        }
    }
}

static void lend_matrices(tegula_call *call, SEXP matrices)
{
    SEXP names = getAttrib(matrices, R_NamesSymbol);
    for (R_xlen_t m = 0; m < XLENGTH(matrices); m++) {
        SEXP lent = VECTOR_ELT(matrices, m), entries = VECTOR_ELT(lent, 0);
        int *shape = INTEGER(getAttrib(entries, R_DimSymbol));
        tegula_call_matrix(call, utf8(names, m), REAL(entries), shape[0], shape[1], all_utf8(VECTOR_ELT(lent, 1)),
                           all_utf8(VECTOR_ELT(lent, 2)));
    }
}

/* The lists of numbers that a call has left. */
static SEXP lists_of(tegula_call *call)
{
    const double *values;
    size_t count, lists = 0;
    while (tegula_call_list(call, lists, &values, &count)) lists++;
    SEXP result = PROTECT(allocVector(VECSXP, lists)), names = PROTECT(allocVector(STRSXP, lists));
    for (size_t i = 0; i < lists; i++) {
        const char *name = tegula_call_list(call, i, &values, &count);
        SET_STRING_ELT(names, i, mkCharCE(name, CE_UTF8));
        SEXP list = allocVector(REALSXP, count);
        SET_VECTOR_ELT(result, i, list);
        if (count) memcpy(REAL(list), values, count * sizeof *values);
    }
    setAttrib(result, R_NamesSymbol, names);
    UNPROTECT(2);
    return result;
}

static SEXP texts_of(tegula_call *call)
{
    size_t count, lists = 0;
    while (tegula_call_text_list(call, lists, &count)) lists++;
    SEXP result = PROTECT(allocVector(VECSXP, lists)), names = PROTECT(allocVector(STRSXP, lists));
    for (size_t i = 0; i < lists; i++) {
        const char *name = tegula_call_text_list(call, i, &count);
        SET_STRING_ELT(names, i, mkCharCE(name, CE_UTF8));
        SEXP list = allocVector(STRSXP, count);
        SET_VECTOR_ELT(result, i, list);
        for (size_t j = 0; j < count; j++) SET_STRING_ELT(list, j, mkCharCE(tegula_call_text_of(call, i, j), CE_UTF8));
    }
    setAttrib(result, R_NamesSymbol, names);
    UNPROTECT(2);
    return result;
}

/* Waits for the end; whether the user has asked for it. */
static int wait_for(tegula_call *call, int shows)
{
    int is_stopped = 0, width = 0;
    while (!tegula_call_wait(call, LOOK_MS)) {
        const char *line = shows ? tegula_call_progress(call) : NULL;
        if (line) {
            REprintf("\r%-*s", width, line);
            width = (int)strlen(line);
        }
        if (!is_stopped && is_interrupted()) {
            is_stopped = 1;
            tegula_call_stop(call);
        }
    }
    if (width) REprintf("\r%-*s\r", width, "");
    return is_stopped;
}

/* Runs the command that `words` are; a list of failure, text, numbers, texts, interrupted. */
static SEXP run(SEXP words, SEXP tables, SEXP matrices, SEXP models, SEXP shows)
{
    tegula_call *call = tegula_call_new();
    SEXP handle = PROTECT(R_MakeExternalPtr(call, R_NilValue, R_NilValue));
    R_RegisterCFinalizer(handle, end);
    for (R_xlen_t i = 0; i < XLENGTH(words); i++) tegula_call_word(call, utf8(words, i));
    lend_tables(call, tables);
    lend_matrices(call, matrices);
    SEXP names = getAttrib(models, R_NamesSymbol);
    for (R_xlen_t i = 0; i < XLENGTH(models); i++)
        if (!tegula_call_model(call, utf8(names, i), utf8(models, i))) error("a model that is no JSON");
    tegula_call_start(call);
    int is_stopped = wait_for(call, asLogical(shows));

    const char *fields[] = {"failure", "text", "numbers", "texts", "interrupted", ""};
    SEXP result = PROTECT(mkNamed(VECSXP, fields));
    const char *failure = tegula_call_failure(call);
    if (failure) SET_VECTOR_ELT(result, 0, mkString(failure));
    SEXP text = PROTECT(ScalarString(mkCharCE(tegula_call_text(call), CE_UTF8)));
    SET_VECTOR_ELT(result, 1, text);
    SET_VECTOR_ELT(result, 2, lists_of(call));
    SET_VECTOR_ELT(result, 3, texts_of(call));
    SET_VECTOR_ELT(result, 4, ScalarLogical(is_stopped));
    end(handle);
    UNPROTECT(3);
    return result;
}

/* A covariance with its parameters, at some distances. */
static SEXP covariance_at(SEXP name, SEXP parameters, SEXP distances)
{
    SEXP values = PROTECT(duplicate(distances));
    if (!tegula_covariance_at(utf8(name, 0), REAL(parameters), XLENGTH(parameters), REAL(values), XLENGTH(values)))
        error("no covariance %s with these parameters", utf8(name, 0));
    UNPROTECT(1);
    return values;
}

static const R_CallMethodDef METHODS[] = {
    {"tegula_run", (DL_FUNC)&run, 5}, {"tegula_covariance_at_r", (DL_FUNC)&covariance_at, 3}, {NULL, NULL, 0}};

void R_init_tegula(DllInfo *library)
{
    R_registerRoutines(library, NULL, METHODS, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
    R_forceSymbols(library, TRUE);
}
