package org.posthouse.conformance;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import mpi.MPI;

/**
 * What package mpi offers: the members of its public classes, those too that they have from classes which are not
 * public. What a class only has from another public class is listed there.
 */
final class Api {
    /** Declared by Object; nothing of MPI. */
    private static final Set<String> OBJECTS_OWN = Set.of("equals", "hashCode", "toString");

    private final Set<ApiMember> members = new TreeSet<>(
            Comparator.comparing(ApiMember::className).thenComparing(ApiMember::signature));

    Api() throws IOException, URISyntaxException {
        for (Class<?> type : publicClasses()) {
            Arrays.stream(type.getFields()).forEach(field -> addField(type, field));
            Arrays.stream(type.getDeclaredConstructors())
                    .filter(Api::isOpen)
                    .forEach(maker -> addConstructor(type, maker));
            methods(type).filter(Api::isOpen).forEach(method -> addMethod(type, method));
        }
    }

    Set<ApiMember> members() {
        return members;
    }

    private static List<Class<?>> publicClasses() throws IOException, URISyntaxException {
        Path folder = Path.of(MPI.class.getResource("MPI.class").toURI()).getParent();
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.startsWith("package-info"))
                    .<Class<?>>map(name -> load("mpi." + name.substring(0, name.length() - ".class".length())))
                    .filter(type -> Modifier.isPublic(type.getModifiers()) && !type.isAnonymousClass())
                    .toList();
        }
    }

    static Class<?> load(String name) {
        try {
            return Class.forName(name, false, Api.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(name + " is referred to, but not there", e);
        }
    }

    /** Public ones, and protected ones for the programs' subclasses. */
    private static boolean isOpen(Member member) {
        return Modifier.isPublic(member.getModifiers())
                || Modifier.isProtected(member.getModifiers())
                        && !Modifier.isFinal(member.getDeclaringClass().getModifiers());
    }

    /** All that the class and its superclasses of package mpi declare, and what their interfaces of mpi do. */
    private static Stream<Method> methods(Class<?> type) {
        return type == null || type.getPackage() != MPI.class.getPackage()
                ? Stream.of()
                : Stream.concat(Arrays.stream(type.getDeclaredMethods()), methods(type.getSuperclass()));
    }

    private void addField(Class<?> type, Field field) {
        if (owner(type, field.getDeclaringClass()) == type) {
            members.add(ApiMember.field(type, field.getName()));
        }
    }

    private void addConstructor(Class<?> type, Constructor<?> maker) {
        boolean inner = type.getEnclosingClass() != null && !Modifier.isStatic(type.getModifiers());
        Class<?>[] all = maker.getParameterTypes();
        members.add(ApiMember.method(type, "<init>", inner ? Arrays.copyOfRange(all, 1, all.length) : all));
    }

    private void addMethod(Class<?> type, Method method) {
        boolean objects = OBJECTS_OWN.contains(method.getName());
        if (!objects && !method.isSynthetic() && owner(type, method.getDeclaringClass()) == type) {
            members.add(ApiMember.method(type, method.getName(), method.getParameterTypes()));
        }
    }

    /** The most general public class on the way from {@code type} up to {@code declaring}: where the member is listed. */
    private static Class<?> owner(Class<?> type, Class<?> declaring) {
        Class<?> owner = type;
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            boolean ofMpi = each.getPackage() == MPI.class.getPackage();
            owner = ofMpi && Modifier.isPublic(each.getModifiers()) ? each : owner;
            if (each == declaring) {
                return owner;
            }
        }
        return owner;
    }

    /** The listed member that a program means by a name in a class, or null: looked for upwards, as the machine does. */
    ApiMember resolve(ApiMember named) {
        for (Class<?> each = named.owner(); each != null; each = each.getSuperclass()) {
            ApiMember there = named.in(each);
            if (members.contains(there)) {
                return there;
            }
        }
        return null;
    }
}
