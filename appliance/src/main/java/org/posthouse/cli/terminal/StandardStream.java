package org.posthouse.cli.terminal;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/** The three streams that every process begins with. */
public enum StandardStream {
    INPUT, OUTPUT, ERROR;

    /** Whether it is a terminal. The C library knows; {@link System#console} tells of standard output only. */
    public boolean isTerminal() {
        Linker linker = Linker.nativeLinker();
        try {
            return (int) linker.downcallHandle(
                    linker.defaultLookup().findOrThrow("isatty"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
                    .invokeExact(ordinal())
                    == 1;
        } catch (Throwable e) {
            throw new IllegalStateException("isatty of the C library cannot be called", e);
        }
    }
}
