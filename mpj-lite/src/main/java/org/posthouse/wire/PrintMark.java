package org.posthouse.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A word of a rank's library to its launcher among the bytes of one output stream, which nobody else sees: it stands where its place is, whoever else prints to
 * that stream. Layout: 0, {@code posthouse mark }, the process's secret in 16 hexadecimal digits, a space, {@code P} or {@code G}, a space, two numbers of 16 digits with a
 * space between, 0.
 *
 * @param goesOn whether the process goes on where another one has set the mark of this number; else this is a mark that another may go on at
 * @param number unlike that of any other mark of the stream: bytes that the library has written to it over all its processes, marks included
 * @param process those that this process has written
 */
public record PrintMark(boolean goesOn, long number, long process) {
    /** The first byte of each. */
    public static final byte FIRST = 0;

    private static final String BEGINNING = "\0posthouse mark ";
    private static final int DIGITS = 16;
    private static final int HEAD_BYTES = BEGINNING.length() + DIGITS + 1;

    /** Of each. */
    public static final int BYTES = HEAD_BYTES + 2 + DIGITS + 1 + DIGITS + 1;

    /** What each begins with that carries this secret. */
    public static byte[] head(long secret) {
        return words(secret).getBytes(StandardCharsets.US_ASCII);
    }

    private static String words(long secret) {
        return BEGINNING + HexFormat.of().toHexDigits(secret) + " ";
    }

    public byte[] encode(long secret) {
        HexFormat hex = HexFormat.of();
        String mark = words(secret) + (goesOn ? "G " : "P ") + hex.toHexDigits(number) + " " + hex.toHexDigits(process) + "\0";
        return mark.getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether a mark with this head begins here, as far as [from, to) says. */
    public static boolean mayBegin(byte[] bytes, int from, int to, byte[] head) {
        int length = Math.min(head.length, to - from);
        return Arrays.equals(bytes, from, from + length, head, 0, length);
    }

    /** The one that begins here, of which all bytes are there. */
    public static PrintMark decode(byte[] bytes, int from) {
        String words = new String(bytes, from + HEAD_BYTES, BYTES - HEAD_BYTES, StandardCharsets.US_ASCII);
        long number = HexFormat.fromHexDigitsToLong(words, 2, 2 + DIGITS);
        return new PrintMark(words.charAt(0) == 'G', number, HexFormat.fromHexDigitsToLong(words, 3 + DIGITS, 3 + 2 * DIGITS));
    }
}
