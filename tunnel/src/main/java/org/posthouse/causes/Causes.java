package org.posthouse.causes;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts of failures for users, without names of Java classes or addresses in Java's format. Stateless. */
public final class Causes {
    /**
     * The address that Netty appends to the system's message, as ": localhost/127.0.0.1:7412". The caller's message
     * already names the address.
     */
    private static final String ADDRESS = ": [^\\s/]*/(\\d+\\.\\d+\\.\\d+\\.\\d+|\\[[^\\s\\]]+]):\\d+$";

    /** The class name that Java puts in front of a cause's message in that of its consequence. */
    private static final String CAUSE = "\\b(?:[a-z]\\w*\\.)+[A-Z][\\w$]*(?:Exception|Error): ";

    /** An alert of the other end, as the JDK and BoringSSL spell it. */
    private static final Pattern ALERT = Pattern.compile("(?:Received fatal alert: |error:\\w+:.*_ALERT_)(\\w+)");

    private Causes() {}

    /** The failure as half a sentence. If the message is empty or only a name, the class's name in words is used. */
    public static String text(Throwable failure) {
        String told = failure.getMessage() == null ? "" : failure.getMessage();
        Matcher alert = ALERT.matcher(told);
        if (alert.find()) {
            return "the other end ended TLS with the alert " + alert.group(1).toLowerCase(Locale.ROOT) + ": its log says more";
        }
        String message = told.replaceFirst(ADDRESS, "").replaceAll(CAUSE, "");
        if (message.isEmpty()) {
            return failure instanceof ConnectException ? "connection refused" : words(failure);
        }
        boolean bare = failure instanceof FileSystemException file && file.getReason() == null
                || failure instanceof UnknownHostException && !message.contains(" ");
        return bare ? words(failure) + ": " + message : message;
    }

    /** "no such file" for a NoSuchFileException. */
    private static String words(Throwable failure) {
        return failure.getClass().getSimpleName()
                .replaceFirst("(Exception|Error)$", "")
                .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT);
    }
}
