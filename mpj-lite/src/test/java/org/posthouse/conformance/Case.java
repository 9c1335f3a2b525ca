package org.posthouse.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import mpi.Intracomm;

/** One case: what it is called, and what each rank does. */
record Case(Method method) {
    /** {@code Class#method}. */
    String name() {
        return method.getDeclaringClass().getSimpleName() + "#" + method.getName();
    }

    /** Takes the calling rank's part. */
    void run(Intracomm world) throws Exception {
        try {
            method.invoke(null, world);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : error(e.getCause());
        }
    }

    private static Exception error(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(cause);
    }

    @Override
    public String toString() {
        return name();
    }
}
