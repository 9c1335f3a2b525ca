package org.posthouse.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A mark from a rank's library to its launcher inside an output stream; the launcher removes it. It stays in its place
 * whatever else prints to that stream.
 *
 * <p>Layout: 0, {@code posthouse mark }, the process's secret in 16 hexadecimal digits, a space, {@code P} or {@code
 * G}, a space. Then come two numbers of 16 digits with a space between, and 0.
 *
 * @param goesOn whether the process continues where another one has set the mark of this number; else another process
 * may continue at this mark
 * @param number unlike that of any other mark of the stream: bytes that the library has written to it over all its
 * processes, marks included
 * @param process those that this process has written
 */
public record PrintMark(boolean goesOn, long number, long process) {
    /** The first byte of each mark. */
    public static final byte FIRST = 0;

    private static final String BEGINNING = "\0posthouse mark ";
    private static final int DIGITS = 16;
    private static final int HEAD_BYTES = BEGINNING.length() + DIGITS + 1;

    /** Bytes of each mark. */
    public static final int BYTES = HEAD_BYTES + 2 + DIGITS + 1 + DIGITS + 1;

    /** The beginning of each mark with this secret. */
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

    /** Whether a mark with this head may begin here, judged by the bytes in [from, to). */
    public static boolean mayBegin(byte[] bytes, int from, int to, byte[] head) {
        int length = Math.min(head.length, to - from);
        return Arrays.equals(bytes, from, from + length, head, 0, length);
    }

    /** The mark that begins here, all of whose bytes are there. */
    public static PrintMark decode(byte[] bytes, int from) {
        String words = new String(bytes, from + HEAD_BYTES, BYTES - HEAD_BYTES, StandardCharsets.US_ASCII);
        long number = HexFormat.fromHexDigitsToLong(words, 2, 2 + DIGITS);
        return new PrintMark(words.charAt(0) == 'G', number, HexFormat.fromHexDigitsToLong(words, 3 + DIGITS, 3 + 2 * DIGITS));
    }
}
