package org.posthouse.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads records of comma-separated values (RFC 4180): cells may be quoted, a quoted cell may hold separators, line ends
 * and doubled quotes; lines end with LF, CR LF or CR. Empty lines and a byte order mark are passed over, spaces around
 * an unquoted cell too.
 *
 * <p>Confined to its reader's thread. A quote that is out of place is an IllegalArgumentException that names the line.
 */
final class CsvReader {

    private static final int END = -1;
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    private final BufferedReader text;
    private final char separator;
    private int next;
    private int line = 1;
    private int firstLine;

    CsvReader(Reader text, char separator) throws IOException {
        this.text = new BufferedReader(text);
        this.separator = separator;
        next = this.text.read();
        if (next == BYTE_ORDER_MARK) {
            next = this.text.read();
        }
    }

    /** The next record, or null at the end. */
    List<String> next() throws IOException {
        while (next != END) {
            firstLine = line;
            List<String> cells = new ArrayList<>();
            do {
                cells.add(next == '"' ? quoted() : plain());
            } while (skip(separator));
            boolean isEmpty = cells.size() == 1 && cells.get(0).isEmpty();
            endLine();
            if (!isEmpty) {
                return cells;
            }
        }
        return null;
    }

    /** Where the last record began, counted from 1. */
    int line() {
        return firstLine;
    }

    private String plain() throws IOException {
        StringBuilder cell = new StringBuilder();
        while (next != separator && !isLineEnd()) {
            cell.append((char) next);
            next = text.read();
        }
        return cell.toString().strip();
    }

    private String quoted() throws IOException {
        StringBuilder cell = new StringBuilder();
        next = text.read();
        while (true) {
            if (next == END) {
                throw new IllegalArgumentException("line " + firstLine + ": a quoted cell has no end");
            }
            if (skip('"') && next != '"') {
                break;
            }
            if (next == '\n') {
                line++;
            }
            cell.append((char) next);
            next = text.read();
        }
        if (next != separator && !isLineEnd()) {
            throw new IllegalArgumentException(
                    "line " + line + ": expected '" + separator + "' or the line's end behind a quoted cell, not '"
                            + (char) next + "'");
        }
        return cell.toString();
    }

    private boolean isLineEnd() {
        return next == END || next == '\n' || next == '\r';
    }

    private void endLine() throws IOException {
        boolean isReturn = skip('\r');
        if (skip('\n') || isReturn) {
            line++;
        }
    }

    private boolean skip(int character) throws IOException {
        if (next != character) {
            return false;
        }
        next = text.read();
        return true;
    }
}
