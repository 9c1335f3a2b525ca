package org.posthouse.causes;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a failure says to people: no name of a Java class, no address in Java's spelling. Stateless. */
public final class Causes {
    /** What Netty adds to what the system said, as ": localhost/127.0.0.1:7412". Whoever connects has named the address. */
    private static final String ADDRESS = ": [^\\s/]*/(\\d+\\.\\d+\\.\\d+\\.\\d+|\\[[^\\s\\]]+]):\\d+$";

    /** What Java puts in front of a cause's message in that of its consequence. */
    private static final String CAUSE = "\\b(?:[a-z]\\w*\\.)+[A-Z][\\w$]*(?:Exception|Error): ";

    /** An alert of the other end, as the JDK and BoringSSL spell it. */
    private static final Pattern ALERT = Pattern.compile("(?:Received fatal alert: |error:\\w+:.*_ALERT_)(\\w+)");

    private Causes() {}

    /** Half a sentence. One that says nothing, or a name only, has its class's name for it, in words. */
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
