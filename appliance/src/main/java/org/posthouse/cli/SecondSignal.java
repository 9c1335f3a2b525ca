package org.posthouse.cli;

import java.lang.reflect.Proxy;

/** Who interrupts a second time does not want to wait. */
final class SecondSignal {
    private SecondSignal() {}

    /**
     * From here on SIGINT, SIGTERM and SIGHUP end this process at once; of themselves they do nothing while a JVM is shutting down. Where the JDK does not offer
     * {@code sun.misc.Signal}, of which javac warns, that stays so.
     */
    static void endAtOnce(int status) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object halt = Proxy.newProxyInstance(SecondSignal.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                Runtime.getRuntime().halt(status);
                return null;
            });
            for (String name : new String[] {"INT", "TERM", "HUP"}) {
                signal.getMethod("handle", signal, handler).invoke(null, signal.getConstructor(String.class).newInstance(name), halt);
            }
        } catch (ReflectiveOperationException e) {
            System.err.println("posthouse: a second signal will do nothing: " + e);
        }
    }
}
