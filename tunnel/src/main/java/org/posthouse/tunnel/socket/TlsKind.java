package org.posthouse.tunnel.socket;

import io.netty.handler.ssl.OpenSsl;
import java.util.List;
import org.posthouse.causes.Causes;

/** The TLS implementation of the links. All give the same guarantees. */
public enum TlsKind {
    /** {@link #NATIVE} if it is available, else {@link #JDK}. */
    AUTO,
    /**
     * Netty's BoringSSL, for Linux with glibc on x86-64 and AArch64. It needs little more than half of the JDK's
     * processor time, and makes a fifth of the garbage (ADR 32).
     */
    NATIVE,
    /** The JDK's own. */
    JDK;

    /**
     * Whether the native library is available. Loads it, which may take a while, so it must not be called on an event
     * loop.
     */
    static boolean isNativeHere() {
        return OpenSsl.isAvailable();
    }

    /** Whether native TLS is used. */
    public boolean isNative() {
        return this == NATIVE || this == AUTO && isNativeHere();
    }

    public void check(List<String> problems) {
        if (this == NATIVE && !isNativeHere()) {
            problems.add("native TLS, which is not to be had on this host: " + whyNot());
        }
    }

    /** Whether the JDK's TLS is used because the native one is not available. */
    public boolean fallsBack() {
        return this == AUTO && !isNativeHere();
    }

    /** One line about the TLS of the links. */
    public String described() {
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
