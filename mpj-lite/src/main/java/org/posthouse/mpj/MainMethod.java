package org.posthouse.mpj;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

/**
 * A program's main method as {@code java} finds it since Java 25 (JEP 512), on any Java. {@code main(String[])}
 * precedes {@code main()}; either may be inherited and static or not, but not private.
 */
final class MainMethod {
    private final Method method;

    /** Creates the object that has the method; null if the method is static. */
    private final Constructor<?> maker;

    private MainMethod(Method method, Constructor<?> maker) {
        this.method = method;
        this.maker = maker;
    }

    /** @throws NoSuchMethodException with half a sentence about the class, if it has none that can be called */
    static MainMethod of(Class<?> program) throws NoSuchMethodException {
        Method method = find(program, String[].class);
        if (method == null) {
            method = find(program);
        }
        if (method == null) {
            throw new NoSuchMethodException("has no main method: expected static void main(String[]), or void main() of Java 25, not private");
        }
        requireOpen(method, program);
        return new MainMethod(method, Modifier.isStatic(method.getModifiers()) ? null : maker(program));
    }

    private static Method find(Class<?> program, Class<?>... parameters) {
        for (Class<?> type = program; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals("main") && method.getReturnType() == void.class && !Modifier.isPrivate(method.getModifiers())
                        && Arrays.equals(method.getParameterTypes(), parameters)) {
                    return method;
                }
            }
        }
        return null;
    }

    private static Constructor<?> maker(Class<?> program) throws NoSuchMethodException {
        for (Constructor<?> constructor : program.getDeclaredConstructors()) {
            if (constructor.getParameterCount() == 0 && !Modifier.isPrivate(constructor.getModifiers()) && !Modifier.isAbstract(program.getModifiers())) {
                requireOpen(constructor, program);
                return constructor;
            }
        }
        throw new NoSuchMethodException("has a main method that is not static, and cannot be made without arguments");
    }

    private static void requireOpen(AccessibleObject member, Class<?> program) throws NoSuchMethodException {
        if (!member.trySetAccessible()) {
            throw new NoSuchMethodException("is in a package that its " + program.getModule() + " does not open: name its jar on the class path alone");
        }
    }

    /** @throws InvocationTargetException with what the program threw */
    void call(String[] arguments) throws InvocationTargetException, IllegalAccessException, InstantiationException {
        Object program = maker == null ? null : maker.newInstance();
        if (method.getParameterCount() == 0) {
            method.invoke(program);
        } else {
            method.invoke(program, (Object) arguments);
        }
    }
}
