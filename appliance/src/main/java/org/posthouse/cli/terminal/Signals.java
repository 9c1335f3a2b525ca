package org.posthouse.cli.terminal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * The reactions of this process to signals. They need {@code sun.misc.Signal}, of which javac warns. In a JDK without
 * it they stay the default, and a message says so.
 */
public final class Signals {
    private Signals() {}

    /**
     * Makes SIGINT, SIGTERM and SIGHUP end this process at once, for a user who interrupts a second time. Without this
     * they have no effect while a JVM is shutting down.
     */
    static void endAtOnce(int status) {
        for (String name : new String[] {"INT", "TERM", "HUP"}) {
            handle(name, (proxy, method, arguments) -> {
                Runtime.getRuntime().halt(status);
                return null;
            });
        }
    }

    /** This signal does nothing, nor at processes that are started from here on. */
    public static void ignore(String name) {
        handle(name, null);
    }

    /** @param handler null: it is ignored */
    private static void handle(String name, InvocationHandler handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> type = Class.forName("sun.misc.SignalHandler");
            Object action = handler == null
                    ? type.getField("SIG_IGN").get(null)
                    : Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {type}, handler);
            signal.getMethod("handle", signal, type).invoke(null, signal.getConstructor(String.class).newInstance(name), action);
        } catch (ReflectiveOperationException e) {
            System.err.println("posthouse: SIG" + name + " does what it does to any program: " + e);
        }
    }
}
