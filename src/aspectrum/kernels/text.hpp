// Tables of text: records, cells, quotes. One scanner finds what is wrong with a text and reads those that are sound.
#pragma once

#include "arrays.hpp"
#include "interrupts.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace aspectrum {

inline bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}  // as isspace, whatever the locale

inline int64_t count_words(const char* at, const char* end) {
    int64_t words = 0;
    bool inside = false;
    for (const char* c = at; c < end; ++c) {
        words += !is_blank(*c) && !inside;
        inside = !is_blank(*c);
    }
    return words;
}

inline const char* find_char(const char* at, const char* end, char c) {
    const void* found = at < end ? std::memchr(at, c, static_cast<size_t>(end - at)) : nullptr;
    return found ? static_cast<const char*>(found) : end;
}

// A cell as it stands in the text, without the quotes around it.
struct Cell {
    const char* begin;
    const char* end;
    bool doubled = false;  // two quotes in it stand for one

    size_t size() const { return static_cast<size_t>(end - begin); }

    // As it is meant.
    std::string text() const {
        std::string meant;
        for (const char* c = begin; c < end; ++c) {
            meant.push_back(*c);
            if (doubled && *c == '"') ++c;
        }
        return meant;
    }
};

// How a table is written. A separator of 0 stands for any number of blanks and tabs.
struct TableFormat {
    char separator;
    bool quoted;
};

// Goes through the records of a text. Checked, it stops at the first quote that is wrong; a text that was checked before is
// read faster without.
template <bool kChecked>
class TableScanner {
    const char* at_;
    const char* const end_;
    const TableFormat format_;
    const char* record_;
    bool more_ = false;  // whether the record goes on
    int64_t cells_ = 0;  // cells of the record so far
    const char* problem_ = nullptr;
    const char* problem_at_ = nullptr;

  public:
    TableScanner(const char* begin, const char* end, TableFormat format) : at_(begin), end_(end), format_(format), record_(begin) {}

    const char* problem() const { return problem_; }  // null if nothing is wrong so far
    const char* problem_at() const { return problem_at_; }
    const char* record() const { return record_; }  // where it begins

    // The beginning of the next record, past blank lines; false at the end.
    bool next_record() {
        while (at_ < end_ && !problem_) {
            const char* c = at_;
            if (format_.separator == 0)
                while (c < end_ && *c != '\n' && is_blank(*c)) ++c;
            else
                while (c < end_ && *c == ' ') ++c;
            if (c < end_ && *c == '\r' && (c + 1 == end_ || c[1] == '\n')) ++c;
            if (c < end_ && *c != '\n') {
                if (format_.separator == 0) at_ = c;
                record_ = at_;
                more_ = true;
                cells_ = 0;
                return true;
            }
            at_ = c < end_ ? c + 1 : end_;
        }
        return false;
    }

    // The next cell of the record, an empty one where there is none.
    Cell next_cell() {
        if (!more_) return {at_, at_};
        ++cells_;
        if (format_.quoted && at_ < end_ && *at_ == '"') return quoted_cell();
        const char* begin = at_;
        if (format_.separator == 0) {
            while (at_ < end_ && !is_blank(*at_)) ++at_;
            const char* end = at_;
            while (at_ < end_ && *at_ != '\n' && is_blank(*at_)) ++at_;
            more_ = at_ < end_ && *at_ != '\n';
            return {begin, end};
        }
        for (; at_ < end_ && *at_ != format_.separator && *at_ != '\n'; ++at_)
            if (kChecked && format_.quoted && *at_ == '"') return stray_quote();
        const char* end = at_;
        end_cell();
        if (!more_ && end > begin && end[-1] == '\r') --end;
        return {begin, end};
    }

    // Past the rest of the record; how many cells it had.
    int64_t end_record() {
        if (format_.quoted) {
            while (more_) next_cell();
        } else if (more_) {
            const char* eol = find_char(at_, end_, '\n');
            cells_ += format_.separator == 0 ? count_words(at_, eol) : 1 + std::count(at_, eol, format_.separator);
            at_ = eol;
        }
        if (at_ < end_) ++at_;
        return cells_;
    }

  private:
    void end_cell() {
        more_ = at_ < end_ && *at_ == format_.separator;
        if (more_) ++at_;
    }
    Cell quoted_cell() {
        const char* begin = at_ + 1;
        bool doubled = false;
        const char* close = find_char(begin, end_, '"');
        for (; end_ - close >= 2 && close[1] == '"'; close = find_char(close + 2, end_, '"')) doubled = true;
        if (kChecked && close == end_) return wrong("open quote", at_);
        at_ = close < end_ ? close + 1 : end_;
        if (end_ - at_ >= 2 && at_[0] == '\r' && at_[1] == '\n') ++at_;
        if (kChecked && at_ < end_ && *at_ != format_.separator && *at_ != '\n') return stray_quote();
        end_cell();
        return {begin, close, doubled};
    }
    Cell stray_quote() { return wrong("stray quote", at_); }
    Cell wrong(const char* problem, const char* where) {
        problem_ = problem;
        problem_at_ = where;
        more_ = false;
        return {where, where};
    }
};

struct TableScan {
    int64_t records = 0;       // lines that are not blank, or what quotes make of them
    const char* problem = "";  // the first thing that is wrong: fields, stray quote, open quote
    int64_t line = 0;          // the line it is on
    int64_t fields = 0;        // the number of fields of that record; of all records if nothing is wrong
};

// Goes through a text until something is wrong, or until record `stop` (its line is told). `fields` of 0 means as many as
// the first record has.
inline TableScan scan_table(const char* begin, const char* end, TableFormat format, int64_t fields, int64_t stop) {
    TableScanner<true> scanner(begin, end, format);
    TableScan scan;
    auto stopped = [&](const char* problem, const char* where, int64_t n) {
        scan.problem = problem;
        scan.line = 1 + std::count(begin, where, '\n');
        scan.fields = n;
        return scan;
    };
    while (scanner.next_record()) {
        const int64_t n = scanner.end_record();
        if (scanner.problem()) return stopped(scanner.problem(), scanner.problem_at(), n);
        if (scan.records == stop) return stopped("", scanner.record(), n);
        if (fields == 0) fields = n;
        if (n != fields && stop < 0) return stopped("fields", scanner.record(), n);
        ++scan.records;
        tick(1);
    }
    scan.fields = fields;
    return scan;
}

// Lines of words with a separator between their fields: the first `before` words, the text between, the last `after` words. Lines with
// fewer words keep what they have; no line moves. Also how many lines have blanks in the text between.
inline std::pair<std::string, int64_t> with_middle_joined(const char* begin, const char* end, int64_t before, int64_t after,
                                                          char separator) {
    std::string joined;
    joined.reserve(static_cast<size_t>(end - begin));
    int64_t n_joined = 0;
    std::vector<Cell> words;
    for (const char* at = begin; at < end; ++at) {
        const char* eol = find_char(at, end, '\n');
        words.clear();
        for (const char* c = at; c < eol;) {
            while (c < eol && is_blank(*c)) ++c;
            const char* word = c;
            while (c < eol && !is_blank(*c)) ++c;
            if (c > word) words.push_back({word, c});
        }
        const auto n = static_cast<int64_t>(words.size());
        if (n > before + after + 1) {
            words[before].end = words[n - after - 1].end;
            words.erase(words.begin() + before + 1, words.end() - after);
            ++n_joined;
        }
        for (size_t word = 0; word < words.size(); ++word) {
            if (word > 0) joined.push_back(separator);
            joined.append(words[word].begin, words[word].end);
        }
        if (eol < end) joined.push_back('\n');
        at = eol;
        tick(1);
    }
    return {std::move(joined), n_joined};
}

}  // namespace aspectrum
