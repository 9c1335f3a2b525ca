package org.posthouse.launch.stage;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identity of a file's content: two files with one id have the same bytes.
 *
 * @param sha256 64 hexadecimal digits, in lower case
 * @param bytes the content's length
 */
public record ContentId(String sha256, long bytes) {
    /** Length of a SHA-256, in bytes. */
    public static final int DIGEST_BYTES = 32;

    private static final Pattern FILE_NAME = Pattern.compile("([0-9a-f]{64})-(\\d{1,18})");

    /** Checks both. */
    public ContentId {
        if (!sha256.matches("[0-9a-f]{64}") || bytes < 0) {
            throw new IllegalArgumentException("no SHA-256 and length: " + sha256 + ", " + bytes);
        }
    }

    /** The id with this digest of 32 bytes. */
    public static ContentId of(byte[] digest, long bytes) {
        return new ContentId(HexFormat.of().formatHex(digest), bytes);
    }

    /** The digest's 32 bytes. */
    public byte[] digest() {
        return HexFormat.of().parseHex(sha256);
    }

    /** Name of the content's file in a store. */
    String fileName() {
        return sha256 + "-" + bytes;
    }

    /** The id with this {@link #fileName}; empty if it is none. */
    static Optional<ContentId> ofFileName(String name) {
        Matcher matcher = FILE_NAME.matcher(name);
        return matcher.matches() ? Optional.of(new ContentId(matcher.group(1), Long.parseLong(matcher.group(2)))) : Optional.empty();
    }

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The first twelve digits and the length, for messages. */
    @Override
    public String toString() {
        return sha256.substring(0, 12) + "… of " + bytes + " bytes";
    }
}
