package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Names the protocol of a peer that is no part of a grid, by the four bytes that stand where a frame's length is expected.
 * A wrong port is the most frequent cause of such a connection. Stateless.
 */
final class ForeignProtocol {
    private static final int TLS_ALERT = 0x15;
    private static final int TLS_HANDSHAKE = 0x16;
    private static final int TLS_MAJOR = 3;

    private ForeignProtocol() {}

    /** What the peer seems to be, as a clause for people; empty if the bytes tell nothing. */
    static String describe(int firstBytes) {
        int type = firstBytes >>> 24;
        if ((type == TLS_HANDSHAKE || type == TLS_ALERT) && (firstBytes >>> 16 & 0xff) == TLS_MAJOR) {
            return "the other end speaks TLS";
        }
        String text = new String(ByteBuffer.allocate(Integer.BYTES).putInt(firstBytes).array(), StandardCharsets.US_ASCII);
        return switch (text) {
            case "HTTP" -> "an HTTP server is at the other end";
            case "GET ", "HEAD", "POST", "PUT ", "OPTI", "DELE", "CONN" -> "an HTTP client is at the other end";
            case "SSH-" -> "an SSH server or client is at the other end";
            default -> isPrinted(text) ? "the other end begins with the text \"" + text + "\"" : "";
        };
    }

    private static boolean isPrinted(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) >= 0x7f) {
                return false;
            }
        }
        return true;
    }
}
