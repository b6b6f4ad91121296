// How a table of text is built, before anything in it is read: records, fields, quotes.
#pragma once

#include "arrays.hpp"

#include <algorithm>
#include <cstring>

namespace aspectrum {

struct TableScan {
    int64_t records = 0;       // lines that are not blank, or what quotes make of them
    const char* problem = "";  // the first thing that is wrong: fields, stray quote, open quote
    int64_t line = 0;          // the line it is on
    int64_t fields = 0;        // the number of fields of that record; of all records if nothing is wrong
};

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }  // as isspace, whatever the locale

inline int64_t count_words(const char* at, const char* end) {
    int64_t words = 0;
    bool inside = false;
    for (const char* c = at; c < end; ++c) {
        words += !is_blank(*c) && !inside;
        inside = !is_blank(*c);
    }
    return words;
}

// A line without anything on it: no field is that empty by intent.
inline bool is_blank_line(const char* at, const char* eol) {
    while (at < eol && *at == ' ') ++at;
    return at == eol || (*at == '\r' && at + 1 == eol);
}

// Goes through a text until something is wrong, or until record `stop` (its line is told). A separator of 0 stands for
// any number of blanks and tabs. `fields` of 0 means as many as the first record has.
inline TableScan scan_table(const char* at, const char* end, char separator, bool quoted, int64_t fields, int64_t stop) {
    TableScan scan;
    int64_t line = 1;
    auto stopped = [&](const char* problem, int64_t where, int64_t n) {
        scan.problem = problem;
        scan.line = where;
        scan.fields = n;
        return scan;
    };
    while (at < end) {
        const char* newline = static_cast<const char*>(std::memchr(at, '\n', end - at));
        const char* eol = newline ? newline : end;
        const int64_t first_line = line;
        int64_t n = 0;
        if (separator == 0) {
            n = count_words(at, eol);
            at = eol;
        } else if (is_blank_line(at, eol)) {
            at = eol;
        } else if (!quoted) {
            n = 1 + std::count(at, eol, separator);
            at = eol;
        } else {
            for (bool more = true; more;) {  // a field each time
                ++n;
                if (at < end && *at == '"') {
                    const int64_t opened = line;
                    const char* close = at + 1;
                    for (;; close += 2) {  // two quotes stand for one
                        close = static_cast<const char*>(close < end ? std::memchr(close, '"', end - close) : nullptr);
                        if (!close) return stopped("open quote", opened, n);
                        if (close + 1 == end || close[1] != '"') break;
                    }
                    line += std::count(at, close, '\n');
                    at = close + 1;
                    if (end - at >= 2 && at[0] == '\r' && at[1] == '\n') ++at;
                    if (at < end && *at != separator && *at != '\n') return stopped("stray quote", line, n);
                } else {
                    for (; at < end && *at != separator && *at != '\n'; ++at)
                        if (*at == '"') return stopped("stray quote", line, n);
                }
                more = at < end && *at == separator;
                at += more;
            }
        }
        if (at < end) {
            ++at;
            ++line;
        }
        if (n == 0) continue;
        if (scan.records == stop) return stopped("", first_line, n);
        if (fields == 0) fields = n;
        if (n != fields && stop < 0) return stopped("fields", first_line, n);
        ++scan.records;
    }
    scan.fields = fields;
    return scan;
}

}  // namespace aspectrum
