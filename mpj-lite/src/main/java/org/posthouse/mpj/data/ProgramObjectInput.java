package org.posthouse.mpj.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Proxy;

/**
 * Reads a program's objects in whatever thread: plain deserialization looks for classes in this library's class loader only.
 *
 * <p>A class is looked for with the thread's context class loader if somebody has set one, then with the loaders of whoever called Init ({@link #initCalledBy}), the
 * system's, and that of the receiving array's class. A thread of the common pool has the system's class loader as its context loader, which may know another class of
 * that name than the program. Confined to one thread.
 */
public final class ProgramObjectInput extends ObjectInputStream {
    /** The loader of the class that called Init, and the context loader of its thread. Written by Init, read by any thread. */
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

    /** Init was called: by a class of this loader, in a thread with that context loader. Either may be null. */
    public static void initCalledBy(ClassLoader caller, ClassLoader context) {
        ofInit = new ClassLoader[] {caller, context};
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
        Class<?> found = find(description.getName());
        // Primitive classes, for instance, are known to the default search only.
        return found == null ? super.resolveClass(description) : found;
    }

    /** Null if no loader knows it. */
    private Class<?> find(String name) {
        for (int i = 0; i < loaders.length; i++) {
            if (loaders[i] != null && isFirst(i)) {
                try {
                    return Class.forName(name, false, loaders[i]);
                } catch (ClassNotFoundException e) {
                    continue; // The next one may know it.
                }
            }
        }
        return null;
    }

    /** Whether no loader before this one is the same: the usual case has one loader in all places. */
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
            // Only the loader of an interface that is not the platform's can know all of them.
            ClassLoader own = interfaces[i].getClassLoader();
            knowing = own == null ? knowing : own;
        }
        return Proxy.newProxyInstance(knowing, interfaces, (proxy, method, arguments) -> null).getClass();
    }
}
