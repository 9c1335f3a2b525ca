package org.posthouse.conformance;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A member that programs can name: a field, a constructor (called {@code <init>}) or a method.
 *
 * @param owner the public class that has it
 * @param parameters classes of the parameters; null for a field
 */
record ApiMember(Class<?> owner, String name, List<Class<?>> parameters) {
    static ApiMember field(Class<?> owner, String name) {
        return new ApiMember(owner, name, null);
    }

    static ApiMember method(Class<?> owner, String name, Class<?>... parameters) {
        return new ApiMember(owner, name, Arrays.asList(parameters));
    }

    /** The same member in another class. */
    ApiMember in(Class<?> other) {
        return new ApiMember(other, name, parameters);
    }

    String className() {
        return simpleName(owner);
    }

    /** As a program writes it: {@code Send(Object, int)}, {@code new Op(User_function, boolean)}, {@code source}. */
    String signature() {
        if (parameters == null) {
            return name;
        }
        String types = parameters.stream().map(ApiMember::simpleName).collect(Collectors.joining(", ", "(", ")"));
        return (name.equals("<init>") ? "new " + className() : name) + types;
    }

    /** {@code Struct.Data} for a nested class. */
    private static String simpleName(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return outer == null ? type.getSimpleName() : simpleName(outer) + "." + type.getSimpleName();
    }

    @Override
    public String toString() {
        return className() + "." + signature();
    }
}
