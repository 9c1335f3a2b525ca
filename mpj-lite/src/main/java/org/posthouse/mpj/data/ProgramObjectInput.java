package org.posthouse.mpj.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Proxy;

/**
 * Deserializes a program's objects in any thread. Plain deserialization looks for classes in this library's class
 * loader only.
 *
 * <p>A class is looked up with the thread's context class loader if somebody has set one. Then come the loaders of the
 * caller of Init ({@link #initCalledBy}), the system's, and that of the receiving array's class. A thread of the common
 * pool has the system's class loader as its context loader, which may know another class of that name than the program.
 * Confined to one thread.
 */
public final class ProgramObjectInput extends ObjectInputStream {
    /**
     * The loader of the class that called Init, and the context loader of its thread. Written by Init, read by any
     * thread.
     */
    private static volatile ClassLoader[] ofInit = {};

    private final ClassLoader[] loaders;

    /**
     * @param context the context class loader of the thread that asked for the objects; may be null
     * @param target that of the class that the objects are for; may be null
     */
    public ProgramObjectInput(InputStream in, ClassLoader context, ClassLoader target) throws IOException {
        super(in);
        ClassLoader[] init = ofInit;
        loaders = new ClassLoader[init.length + 3];
        loaders[0] = context == ClassLoader.getSystemClassLoader() ? null : context;
        System.arraycopy(init, 0, loaders, 1, init.length);
        loaders[init.length + 1] = context;
        loaders[init.length + 2] = target;
    }

    /**
     * Records the caller of Init: the loader of its class, and the context loader of its thread. Either may be null.
     */
    public static void initCalledBy(ClassLoader caller, ClassLoader context) {
        ofInit = new ClassLoader[] {caller, context};
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
        Class<?> found = find(description.getName());
        // The default search alone knows, for instance, primitive classes.
        return found == null ? super.resolveClass(description) : found;
    }

    /** Null if no loader knows it. */
    private Class<?> find(String name) {
        for (int i = 0; i < loaders.length; i++) {
            if (loaders[i] != null && isFirst(i)) {
                try {
                    return Class.forName(name, false, loaders[i]);
                } catch (ClassNotFoundException e) {
                    continue; // The next loader may know it.
                }
            }
        }
        return null;
    }

    /** Whether no earlier loader is the same: usually one loader is in all places. */
    private boolean isFirst(int index) {
        for (int before = 0; before < index; before++) {
            if (loaders[before] == loaders[index]) {
                return false;
            }
        }
        return true;
    }

    @Override
    protected Class<?> resolveProxyClass(String[] names) throws IOException, ClassNotFoundException {
        Class<?>[] interfaces = new Class<?>[names.length];
        ClassLoader knowing = null;
        for (int i = 0; i < names.length; i++) {
            interfaces[i] = find(names[i]);
            if (interfaces[i] == null) {
                return super.resolveProxyClass(names);
            }
            // Only the loader of an interface outside the platform can know all of them.
            ClassLoader own = interfaces[i].getClassLoader();
            knowing = own == null ? knowing : own;
        }
        return Proxy.newProxyInstance(knowing, interfaces, (proxy, method, arguments) -> null).getClass();
    }
}
