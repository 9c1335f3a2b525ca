package org.posthouse.tunnel;

import io.netty.handler.ssl.OpenSsl;
import java.util.List;
import org.posthouse.causes.Causes;

/** Whose TLS the links use. What is promised of a connection is the same with each. */
public enum TlsKind {
    /** {@link #NATIVE} where it is to be had, else {@link #JDK}. */
    AUTO,
    /** BoringSSL as Netty brings it, for Linux with glibc on x86-64 and AArch64: little more than half of the JDK's processor time, and a fifth of the garbage (ADR 32). */
    NATIVE,
    /** The JDK's own. */
    JDK;

    /** Loads the native library, so call it where that may take a while: on no loop. */
    static boolean isNativeHere() {
        return OpenSsl.isAvailable();
    }

    boolean isNative() {
        return this == NATIVE || this == AUTO && isNativeHere();
    }

    void check(List<String> problems) {
        if (this == NATIVE && !isNativeHere()) {
            problems.add("native TLS, which is not to be had on this host: " + whyNot());
        }
    }

    /** Whether the JDK's is used because the native one is not here. */
    boolean fallsBack() {
        return this == AUTO && !isNativeHere();
    }

    /** In one line, what the links use. */
    String described() {
        if (isNative()) {
            return "links use native TLS, " + OpenSsl.versionString();
        }
        return "links use the JDK's TLS" + (fallsBack() ? ": the native one is not to be had on this host: " + whyNot() : "");
    }

    private static String whyNot() {
        Throwable root = OpenSsl.unavailabilityCause();
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return Causes.text(root).lines().findFirst().orElse("");
    }
}
