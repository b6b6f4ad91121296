// How a table of text is built, before anything in it is read: records, fields, quotes.
#pragma once

#include "arrays.hpp"

#include <algorithm>
#include <cstring>

namespace aspectrum {

enum Problem : int { kFine = 0, kFields = 1, kStrayQuote = 2, kOpenQuote = 3 };

struct TableScan {
    int64_t records = 0;  // lines that are not blank, or what quotes make of them
    int64_t blanks = 0;   // blank lines
    int problem = kFine;  // the first thing that is wrong,
    int64_t line = 0;     // the line it is on
    int64_t fields = 0;   // and the number of fields of that record
    bool plain = true;    // words: single blanks between them and none around
};

inline int64_t count_words(const char* at, const char* end, bool& plain) {
    auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    int64_t words = 0;
    bool inside = false;
    for (const char* c = at; c < end; ++c) {
        const bool is_blank = blank(*c);
        words += !is_blank && !inside;
        plain = plain && !(is_blank && (*c != ' ' || !inside));
        inside = !is_blank;
    }
    plain = plain && (inside || at == end);
    return words;
}

// Goes through a text until something is wrong, or until record `stop` (its line is told). A separator of 0 stands for
// any number of blanks and tabs. `fields` of 0 means as many as the first record has.
inline TableScan scan_table(const char* at, const char* end, char separator, bool quoted, int64_t fields, int64_t stop) {
    TableScan scan;
    int64_t line = 1;
    while (at < end) {
        const char* newline = static_cast<const char*>(std::memchr(at, '\n', end - at));
        const char* eol = newline ? newline : end;
        const int64_t first_line = line;
        int64_t n = 0;
        const bool is_blank = eol == at || (eol == at + 1 && *at == '\r');
        if (separator == 0) {
            n = count_words(at, eol, scan.plain);
            at = eol + 1;
            ++line;
        } else if (is_blank) {
            at = eol + 1;
            ++line;
        } else if (!quoted) {
            n = 1 + std::count(at, eol, separator);
            at = eol + 1;
            ++line;
        } else {
            for (bool more = true; more;) {  // a field each time
                ++n;
                if (at < end && *at == '"') {
                    const int64_t opened = line;
                    for (++at;; ++at) {
                        at = static_cast<const char*>(at < end ? std::memchr(at, '"', end - at) : nullptr);
                        if (!at) return {scan.records, scan.blanks, kOpenQuote, opened, n};
                        if (at + 1 == end || at[1] != '"') break;
                        ++at;
                    }
                    ++at;
                    if (at < end && *at == '\r' && at + 1 < end && at[1] == '\n') ++at;
                    if (at < end && *at != separator && *at != '\n') return {scan.records, scan.blanks, kStrayQuote, line, n};
                } else {
                    while (at < end && *at != separator && *at != '\n') {
                        if (*at == '"') return {scan.records, scan.blanks, kStrayQuote, line, n};
                        ++at;
                    }
                }
                more = at < end && *at == separator;
                ++at;
            }
            line = first_line + 1;
            for (const char* c = eol; c < at - 1 && c < end; ++c) line += *c == '\n';
        }
        if (n == 0) {
            ++scan.blanks;
            continue;
        }
        if (scan.records == stop) {
            scan.line = first_line;
            scan.fields = n;
            return scan;
        }
        if (fields == 0) fields = n;
        if (n != fields && stop < 0) {
            scan.problem = kFields;
            scan.line = first_line;
            scan.fields = n;
            return scan;
        }
        ++scan.records;
    }
    scan.fields = fields;
    return scan;
}

}  // namespace aspectrum
